import { Command, CommanderError } from 'commander'
import { loadCommands } from './commands/index.ts'
import type { CommandContext, Start } from './context.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { Io } from './io.ts'
import { refuseKeys } from './refuse-keys.ts'
import { createPaint } from './terminal/paint.ts'

interface GlobalOptions {
  readonly color?: boolean
  readonly verbose?: boolean
}

/** Runs one command line and answers with the exit code. Whatever goes wrong is told on stderr; nothing is thrown. */
export async function main(words: readonly string[], given: Io, version: string): Promise<ExitCode> {
  const { io, hasAnswered } = watchAnswers(given)
  let exitCode: ExitCode = exitCodes.succeeded
  const program = createProgram(io, version)
  const start: Start = async (body) => {
    exitCode = await body(await createContext(program.opts<GlobalOptions>(), io, version))
  }
  for (const define of await loadCommands(words)) program.addCommand(inherit(define(start), program))
  try {
    refuseKeys(words)
    if (words.length === 0) {
      program.outputHelp({ error: true })
      return exitCodes.usage
    }
    await program.parseAsync(withoutStrayHelp(words, program), { from: 'user' })
    return exitCode
  } catch (cause) {
    const isForProgram = readsJson(words) && !hasAnswered()
    if (cause instanceof CommanderError) {
      const code = usageExit(cause, program, words, io)
      if (isForProgram && code !== exitCodes.succeeded) await answerError(cause, code, io)
      return code
    }
    const { explainMissingPackages } = await import('../engine/temporal/missing-packages.ts')
    const error = explainMissingPackages(cause)
    const code = await tellError(error, program.opts<GlobalOptions>(), io)
    if (isForProgram) await answerError(error, code, io)
    return code
  }
}

/** Whether the answer is for a program, also where the command line cannot be read to its end. */
function readsJson(words: readonly string[]): boolean {
  return words.some((word, index) => {
    const value =
      word === '-o' || word === '--output' ? words[index + 1] : /^(?:-o|--output=)(.*)$/.exec(word)?.[1]
    return value === 'json' || value === 'ndjson'
  })
}

/** What the program says on stdout where there is no other answer. */
async function answerError(error: unknown, exitCode: ExitCode, io: Io): Promise<void> {
  const { errorDocument } = await import('./print-error.ts')
  io.stdout.write(`${JSON.stringify(errorDocument(error, exitCode))}\n`)
}

/** The same streams, and whether anything was written to stdout. */
function watchAnswers(io: Io): { readonly io: Io; hasAnswered(): boolean } {
  let hasAnswered = false
  const stdout = Object.create(io.stdout, {
    write: {
      value(text: string) {
        hasAnswered = true
        return io.stdout.write(text)
      },
    },
  }) as Io['stdout']
  return { io: { ...io, stdout }, hasAnswered: () => hasAnswered }
}

async function tellError(
  error: unknown,
  { color, verbose = false }: GlobalOptions,
  io: Io,
): Promise<ExitCode> {
  const { printError } = await import('./print-error.ts')
  const paint = await createPaint(io.stderr, io, color)
  const { lines, exitCode } = printError(error, paint, verbose)
  io.stderr.write(`${lines.join('\n')}\n`)
  return exitCode
}

function createProgram(io: Io, version: string): Command {
  return new Command('opsbook')
    .description(
      'Runs operations runbooks written as YAML: checked before they start, paced, every step durable.',
    )
    .version(version)
    .option('--color', 'colours even where the output is no terminal')
    .option('--no-color', 'no colours (so does NO_COLOR)')
    .option('--verbose', 'logs as JSON lines on stderr, and where an error comes from')
    .usage('<command> [options]')
    .configureHelp({
      showGlobalOptions: true,
      sortSubcommands: false,
      visibleGlobalOptions: (command) => [...(command.parent ? rootOf(command).options : [])],
    })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride()
    .showSuggestionAfterError()
    .addHelpText('after', programHelp)
}

/** The options of a command with subcommands are its own: each subcommand names those that it shares. */
function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command
}

/** Help on a command that does not exist is as much of a mistake as the command itself. */
function withoutStrayHelp(words: readonly string[], program: Command): readonly string[] {
  const [first, topic = '-'] = words
  const isStray =
    first === 'help' &&
    !topic.startsWith('-') &&
    program.commands.every((command) => command.name() !== topic)
  return isStray && topic !== 'help' ? words.slice(1) : words
}

const programHelp = `
Examples:
  $ opsbook validate runbooks
  $ opsbook run runbooks/hello.yaml --sandbox
  $ opsbook call monit/tools/catalog --input target_locator=web-01 --sandbox

Exit codes:
  0 succeeded · 1 failed · 2 wrong usage, invalid runbook or inputs (nothing was sent) · 3 cancelled or rejected
  4 needs a decision (outcome unknown) · 5 the environment lacks something · 130 interrupted

Connection:
  OPSBOOK_BASE_URL and OPSBOOK_APP_KEY, or "connections" in opsbook.yaml; "opsbook doctor" checks them.`

/** Subcommands made on their own do not take over how the program writes and ends; these two make them. */
function inherit(command: Command, program: Command): Command {
  command.copyInheritedSettings(program).allowExcessArguments(false)
  for (const one of command.commands) inherit(one, command)
  return command
}

async function createContext(options: GlobalOptions, io: Io, version: string): Promise<CommandContext> {
  const { color, verbose = false } = options
  return {
    io,
    version,
    paint: await createPaint(io.stdout, io, color),
    errorPaint: await createPaint(io.stderr, io, color),
    isVerbose: verbose,
  }
}

/** The parser has told what was wrong; help and the version are no mistakes. */
function usageExit(error: CommanderError, program: Command, words: readonly string[], io: Io): ExitCode {
  if (error.exitCode === 0) return exitCodes.succeeded
  const named = program.commands.find((command) => words.includes(command.name()))
  const isUnknown = error.code === 'commander.unknownCommand'
  // A word too many is a misspelt one where there are words to choose from.
  const isOneTooMany =
    error.code === 'commander.excessArguments' && error.message.includes(`'${named?.name()}'`)
  if (named && named.commands.length > 0 && (isUnknown || isOneTooMany)) {
    io.stderr.write(
      `  known commands: ${namesOf(named)}; "opsbook ${named.name()} --help" says what they do\n`,
    )
  } else if (isUnknown) {
    io.stderr.write(`  known commands: ${namesOf(program)}; "opsbook --help" says what they do\n`)
  } else if (error.code !== 'commander.help') {
    io.stderr.write('  "--help" after the command shows how it is used, with examples\n')
  }
  return exitCodes.usage
}

function namesOf({ commands }: Command): string {
  return commands.map((command) => command.name()).join(', ')
}
