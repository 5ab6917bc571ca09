/** Outputs as long as the local server's, as the floor's plugin has them. */
const now = "2026-01-31T03:00:00.000000+00:00";
const outputs = {
	scheduleId: 1,
	adopted: false,
	createdAt: now,
	updatedAt: now,
	nextRun: now,
	cronDescription: "At 03:00, every day (UTC)",
	serviceUrl: "http://127.0.0.1:36247/api",
	createdBy: { firstName: "Developer", lastName: "", username: "developer" },
	pipeline: {
		pipelineId: "198686a1-fc9c-47fb-a331-939ba09b01fb",
		name: "rusty-vise",
		status: "FAILED",
		triggeredFrom: "dev.images.thumbnails@1.0.0",
		completed: 2,
		total: 2,
		createdAt: now,
		updatedAt: now,
	},
};

/** Without `read` the host answers a refresh with what is in the state. */
exports.handler = () => ({
	create: async (inputs) => ({ id: "1", outs: { ...inputs, ...outputs } }),
	diff: async (_id, olds, news) => ({
		changes: olds.cronExpression !== news.cronExpression,
	}),
	update: async (_id, _olds, news) => ({ outs: { ...news, ...outputs } }),
});
