/** Runs one command of ours after another, each until nothing is left for it to do, as in a process of its own. */
const { dirname, sep } = require("node:path");

const [, , main, mark] = process.argv;

process.on("message", ({ args, env }) => {
	// From here on only what the command does keeps this process alive.
	process.channel.unref();
	for (const name of Object.keys(process.env)) delete process.env[name];
	Object.assign(process.env, env);
	process.argv = [process.execPath, main, ...args];
	process.exitCode = undefined;
	for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners("error");
	// The client and the libraries stay loaded; what the commands remember of the last one goes.
	const isCommand = (file) => file.startsWith(dirname(main) + sep);
	for (const file of Object.keys(require.cache).filter(isCommand)) delete require.cache[file];
	require(main);
});

process.on("beforeExit", (code) => {
	process.channel.ref();
	process.stdout.write(mark);
	process.stderr.write(mark);
	process.send({ code });
});
