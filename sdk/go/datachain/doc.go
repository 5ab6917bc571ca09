// DataChain Studio pipelines as code: schedules, settings, files, pipelines and jobs.
package datachain
