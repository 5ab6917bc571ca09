import com.pulumi.Pulumi;
import com.pulumi.datachain.JobFile;
import com.pulumi.datachain.JobFileArgs;
import com.pulumi.datachain.Pipeline;
import com.pulumi.datachain.PipelineArgs;
import com.pulumi.datachain.PipelineSchedule;
import com.pulumi.datachain.PipelineScheduleArgs;
import com.pulumi.datachain.PipelineSettings;
import com.pulumi.datachain.PipelineSettingsArgs;
import java.util.List;
import java.util.Map;

public class App {
    public static void main(String[] args) {
        Pulumi.run(ctx -> {
            // This dataset, and every dataset that it depends on. The new pipeline is paused, so nothing runs yet.
            var images = new Pipeline("images", PipelineArgs.builder()
                .datasets("dev.images.final_result")
                .build());

            // A file that the pipeline's jobs may use.
            var labels = new JobFile("labels", JobFileArgs.builder()
                .name("labels.txt")
                .text("cat\ndog\n")
                .build());

            var settings = new PipelineSettings("images", PipelineSettingsArgs.builder()
                .pipelineName(images.name())
                .workers(2)
                .environment(Map.of("MODEL", "clip"))
                .files(labels.id().applyValue(List::of))
                .build());

            // A schedule never runs a paused pipeline. paused(false) resumes the pipeline, which starts its first run.
            // The name comes from the settings, so that Pulumi writes them before anything runs.
            var nightly = new PipelineSchedule("images", PipelineScheduleArgs.builder()
                .pipelineName(settings.pipelineName())
                .cronExpression("0 3 * * *")
                .paused(false)
                .build());

            ctx.export("pipeline", images.name());
            ctx.export("nextRun", nightly.nextRun());
        });
    }
}
