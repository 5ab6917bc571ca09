/** Plausible queries for the seeded datasets. Nothing runs them; `domain/job-script.ts` reads them. */
export const RAW_QUERY = `import datachain as dc

chain = dc.read_storage("s3://vision-images/incoming/", type="image")
print("listed 4812 images")
chain.save("dev.images.raw")
`;

export const CLEAN_QUERY = `import datachain as dc
from datachain import C

chain = (
    dc.read_dataset("dev.images.raw")
    .filter(C("file.size") > 1024)
    .distinct("file.etag")
)
print("kept 4655 of 4812 images")
chain.save("dev.images.clean")
`;

export const FINAL_QUERY = `import datachain as dc

from vision.models import caption

chain = dc.read_dataset("dev.images.clean").settings(parallel=4).map(caption=caption)
print("captioned 4655 images")
chain.save("dev.images.final_result")
`;

/** Fails on purpose, so that there is a failed pipeline to look at. */
export const THUMBNAILS_QUERY = `import datachain as dc

chain = dc.read_dataset("dev.images.raw")
print("no module named PIL")
raise SystemExit(1)
`;

export const SCRATCH_QUERY = `import datachain as dc

chain = dc.read_dataset("dev.images.clean").sample(100)
chain.save("scratch")
`;

/** Runs until someone cancels it. */
export const BACKFILL_QUERY = `# local-server: hold
import datachain as dc

print("backfill of 2024 started")
for month in range(1, 13):
    dc.read_storage(f"s3://vision-images/2024/{month:02}/").save("backfill")
`;
