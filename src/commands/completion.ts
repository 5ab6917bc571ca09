import { Argument, type Command } from "commander";
import { JOB_STATUS_GROUPS, JOB_STATUSES } from "../schemas/job";
import { PIPELINE_STATUSES } from "../schemas/pipeline-status";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

export const define = (command: Command): Command =>
	command
		.addArgument(new Argument("<shell>", "shell to complete in").choices(SHELLS))
		.addHelpText("after", EXAMPLES)
		.action((shell: Shell) => {
			const program = command.parent;
			if (program === null) throw new Error("The command stands by itself.");
			process.stdout.write(SCRIPTS[shell](wordsOf(program)));
		});

const EXAMPLES = `
Add the line to your shell's startup file. With npx, complete "pulumi-datachain" itself: install the package
for yourself (npm install --global pulumi-datachain), or add node_modules/.bin to the PATH.

Examples:
  $ echo 'source <(pulumi-datachain completion bash)' >> ~/.bashrc
  $ echo 'source <(pulumi-datachain completion zsh)' >> ~/.zshrc
  $ pulumi-datachain completion fish > ~/.config/fish/completions/pulumi-datachain.fish
`;

interface OptionWords {
	readonly flags: readonly string[];
	readonly description: string;
	readonly takesValue: boolean;
	/** Values that are known beforehand. */
	readonly values: readonly string[];
}

interface CommandWords {
	readonly name: string;
	readonly description: string;
	/** What can stand in place of an argument. */
	readonly values: readonly string[];
	readonly options: readonly OptionWords[];
}

const PROGRAM = "pulumi-datachain";

function wordsOf(program: Command): CommandWords[] {
	return program.commands.map((command) => ({
		name: command.name(),
		description: command.description(),
		values: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
		options: [...program.options, ...command.options].map((option) => ({
			flags: [option.short, option.long].flatMap((flag) => flag ?? []),
			description: option.description,
			takesValue: option.required || option.optional,
			values:
				option.argChoices ??
				(option.long === "--status" ? statusesOf(command.name()) : []),
		})),
	}));
}

const statusesOf = (command: string): readonly string[] =>
	command === "jobs" ? [...JOB_STATUSES, ...JOB_STATUS_GROUPS] : PIPELINE_STATUSES;

/** Long options: a short one is typed sooner than completed. */
const longFlags = ({ options }: CommandWords): string[] =>
	options.flatMap(({ flags }) => flags.filter((flag) => flag.startsWith("--")));

/** Lines `name:flag) what can follow it`. An empty text lets the shell complete names of files. */
const valueCases = (
	commands: readonly CommandWords[],
	line: (key: string, values: string) => string,
): string =>
	commands
		.flatMap(({ name, options }) =>
			options
				.filter(({ takesValue }) => takesValue)
				.flatMap(({ flags, values }) =>
					flags.map((flag) => line(`${name}:${flag}`, values.join(" "))),
				),
		)
		.join("\n");

const bash = (
	commands: readonly CommandWords[],
): string => `# Completion of ${PROGRAM} in bash.
_pulumi_datachain() {
	local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" each words="" values=""
	COMPREPLY=()
	for each in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case "$each" in
			-*) ;;
			*) command="$each"; break ;;
		esac
	done
	if [ -z "$command" ]; then
		COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} --help --version --quiet --debug" -- "$word"))
		return
	fi
	case "$command:$before" in
${valueCases(commands, (key, values) => `\t\t${key}) ${values === "" ? 'COMPREPLY=($(compgen -f -- "$word"))' : `COMPREPLY=($(compgen -W "${values}" -- "$word"))`}; return ;;`)}
	esac
	case "$command" in
${commands.map((each) => `\t\t${each.name}) words="${[...longFlags(each), "--help"].join(" ")}" values="${each.values.join(" ")}" ;;`).join("\n")}
	esac
	case "$word" in
		-*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
		*) COMPREPLY=($(compgen -W "$values" -- "$word") $(compgen -f -- "$word")) ;;
	esac
}
complete -F _pulumi_datachain ${PROGRAM}
`;

/** A text in single quotes, as all three shells read it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const zsh = (commands: readonly CommandWords[]): string => `#compdef ${PROGRAM}
# Completion of ${PROGRAM} in zsh.
_pulumi_datachain() {
	local command="" each before="\${words[CURRENT-1]}"
	for each in "\${(@)words[2,CURRENT-1]}"; do
		case "$each" in
			-*) ;;
			*) command="$each"; break ;;
		esac
	done
	if [[ -z "$command" ]]; then
		local -a commands
		commands=(
${commands.map(({ name, description }) => `\t\t\t${quoted(`${name}:${description}`)}`).join("\n")}
		)
		_describe command commands
		return
	fi
	case "$command:$before" in
${valueCases(commands, (key, values) => `\t\t${key}) ${values === "" ? "_files" : `compadd -- ${values}`}; return ;;`)}
	esac
	case "$command" in
${commands.map((each) => `\t\t${each.name}) compadd -- ${[...longFlags(each), ...each.values, "--help"].join(" ")} ;;`).join("\n")}
	esac
	[[ "\${words[CURRENT]}" == -* ]] || _files
}
compdef _pulumi_datachain ${PROGRAM}
`;

function fish(commands: readonly CommandWords[]): string {
	const lines = commands.flatMap(({ name, description, options, values }) => {
		const here = `-n '__fish_seen_subcommand_from ${name}'`;
		return [
			`complete -c ${PROGRAM} -n __fish_use_subcommand -f -a ${name} -d ${quoted(description)}`,
			...(values.length === 0
				? []
				: [`complete -c ${PROGRAM} ${here} -f -a ${quoted(values.join(" "))}`]),
			...options.map(({ flags, description: summary, takesValue, values }) => {
				const names = flags.map((flag) =>
					flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
				);
				const choice = values.length === 0 ? "" : ` -f -a ${quoted(values.join(" "))}`;
				return `complete -c ${PROGRAM} ${here} ${names.join(" ")}${takesValue ? " -r" : ""}${choice} -d ${quoted(summary)}`;
			}),
		];
	});
	return `# Completion of ${PROGRAM} in fish.\n${lines.join("\n")}\n`;
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CommandWords[]) => string>> =
	{ bash, zsh, fish };
