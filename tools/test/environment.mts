/** Whoever runs the tests may be logged in to the real service: no test shall find that login. */
export const env = {
	DATACHAIN_SYSTEM_CONFIG_DIR: "/nonexistent",
	DATACHAIN_GLOBAL_CONFIG_DIR: "/nonexistent",
};
