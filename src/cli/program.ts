import { Command, CommanderError } from 'commander'
import { CommandError, uncheckedCertificates } from '../project/index.ts'
import { loadCommands } from './commands.ts'
import type { CommandContext, Start } from './shared/context.ts'
import { type ExitCode, exitCodes } from './shared/exit-codes.ts'
import type { Io } from './shared/io.ts'
import { createPaint } from './shared/terminal/paint.ts'

interface GlobalOptions {
  readonly color?: boolean
  readonly verbose?: boolean
}

/** Runs one command line and returns the exit code. Errors are written to stderr; it never throws. */
export async function main(words: readonly string[], given: Io, version: string): Promise<ExitCode> {
  const { io, hasAnswered } = watchAnswers(given)
  let exitCode: ExitCode = exitCodes.succeeded
  const program = createProgram(io, version)
  const start: Start = async (body) => {
    const unchecked = uncheckedCertificates(io)
    if (unchecked !== undefined) io.stderr.write(`warning: ${unchecked}\n`)
    exitCode =
      (await body(await createContext(program.opts<GlobalOptions>(), io, version))) ?? exitCodes.succeeded
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
      if (cause.exitCode === 0) return exitCodes.succeeded
      if (meantBy(cause, words) !== undefined)
        cause.message = cause.message.replace(/\n\(Did you mean .*\)$/, '')
      if (cause.code !== 'commander.help') io.stderr.write(`${cause.message}\n`)
      const hint = usageHint(cause, program, words)
      if (hint !== undefined) io.stderr.write(`  ${hint}\n`)
      if (isForProgram) await answerError(cause, exitCodes.usage, io, hint)
      return exitCodes.usage
    }
    const { explainMissingPackages } = await import('../engine/index.ts')
    const error = explainMissingPackages(cause)
    const code = await tellError(error, program.opts<GlobalOptions>(), io)
    if (isForProgram) await answerError(error, code, io)
    return code
  }
}

/** Whether the output is JSON, also if the command line is invalid. */
function readsJson(words: readonly string[]): boolean {
  return words.some((word, index) => {
    const value =
      word === '-o' || word === '--output' || word === '--format'
        ? words[index + 1]
        : /^(?:-o|--output=|--format=)(.*)$/.exec(word)?.[1]
    return value === 'json' || value === 'ndjson'
  })
}

/** Writes an error to stdout as JSON. */
async function answerError(error: unknown, exitCode: ExitCode, io: Io, hint?: string): Promise<void> {
  const { errorDocument } = await import('./shared/print-error.ts')
  io.stdout.write(`${JSON.stringify(errorDocument(error, exitCode, hint === undefined ? [] : [hint]))}\n`)
}

/** Returns the streams, and a function that reports whether stdout was written to. */
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
  const { printError } = await import('./shared/print-error.ts')
  const paint = await createPaint(io.stderr, io, color)
  const { lines, exitCode } = printError(error, paint, verbose)
  io.stderr.write(`${lines.join('\n')}\n`)
  return exitCode
}

function createProgram(io: Io, version: string): Command {
  return new Command('opsbook')
    .description(
      'Runs operations runbooks written in YAML: checked before they start, rate-limited, durable at every step.',
    )
    .version(version)
    .option('--color', 'use colors even if the output is not a terminal')
    .option('--no-color', 'use no colors (also: NO_COLOR)')
    .option('--verbose', 'write logs as JSON lines to stderr, and stack traces of errors')
    .usage('<command> [options]')
    .configureHelp({
      showGlobalOptions: true,
      sortSubcommands: false,
      visibleGlobalOptions: (command) => [...(command.parent ? rootOf(command).options : [])],
    })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // With its hint, once the command line was read.
      outputError: () => {},
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .exitOverride()
    .showSuggestionAfterError()
    .addHelpText('after', programHelp)
}

/** The program itself. Options of a command with subcommands are not inherited; each subcommand lists its own. */
function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command
}

/** Reads `help` for an unknown command as that command, so that it is an error. */
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
  4 unknown outcome, needs a decision · 5 problem of the environment · 130 interrupted

Connection:
  OPSBOOK_BASE_URL and OPSBOOK_APP_KEY, or "connections" in opsbook.yaml; "opsbook doctor" checks them.`

/** Applies the settings of the program, such as its output streams, to a command and its subcommands. */
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

/** The commands that do what other command lines call so. The parser would guess by the spelling. */
const meant: Readonly<Record<string, string>> = {
  status: '"opsbook show" shows a run, "opsbook runs" lists them',
  describe: '"opsbook show" shows a run',
  list: '"opsbook runs" lists runs, "opsbook actions" lists actions',
  ls: '"opsbook runs" lists runs, "opsbook actions" lists actions',
  ps: '"opsbook runs" lists runs',
  stop: '"opsbook cancel" cancels a run, "opsbook pause" pauses it',
  abort: '"opsbook cancel" cancels a run',
  kill: '"opsbook cancel" cancels a run',
  retry: '"opsbook resume" continues a run, "opsbook run" starts another one',
  rerun: '"opsbook resume" continues a run, "opsbook run" starts another one',
  exec: '"opsbook run" runs a runbook, "opsbook call" calls one action',
  lint: '"opsbook validate" checks runbooks',
  check: '"opsbook validate" checks runbooks, "opsbook doctor" the environment',
  'temporal codec-server':
    'workers/codec-server.mjs of this package decodes payloads: docs/workers.md#see-payloads-in-the-web-ui',
}

/** What does here what options of other command lines do. */
const meantOptions: Readonly<Record<string, string>> = {
  '--dry-run': '"opsbook plan" shows what a run would do',
  '--json': '--output prints JSON: json, or ndjson for lines, as --help says',
  '-v': '-V prints the version, --verbose writes logs',
}

function meantBy({ code, message }: CommanderError, words: readonly string[]): string | undefined {
  if (code === 'commander.unknownOption') {
    const [, option = ''] = /unknown option '(.*?)'/.exec(message) ?? []
    return Object.hasOwn(meantOptions, option) ? meantOptions[option] : undefined
  }
  const [, input] = words.map((word) => /^(\w+)=/.exec(word)).find((match) => match !== null) ?? []
  if (code === 'commander.excessArguments' && input !== undefined)
    return `an input is given with its option: --input ${input}=…`
  if (code !== 'commander.unknownCommand') return undefined
  const [first = '', second] = words.filter((word) => !word.startsWith('-'))
  return [first, `${first} ${second}`].flatMap((name) =>
    Object.hasOwn(meant, name) ? (meant[name] ?? []) : [],
  )[0]
}

/** Advice for a command line that the parser has refused. */
function usageHint(error: CommanderError, program: Command, words: readonly string[]): string | undefined {
  const named = program.commands.find((command) => words.includes(command.name()))
  const isUnknown = error.code === 'commander.unknownCommand'
  const instead = meantBy(error, words)
  if (instead !== undefined) return instead
  // An excess word after a command with subcommands is a misspelt subcommand.
  const isOneTooMany =
    error.code === 'commander.excessArguments' && error.message.includes(`'${named?.name()}'`)
  if (named && named.commands.length > 0 && (isUnknown || isOneTooMany))
    return `known commands: ${namesOf(named)}; "opsbook ${named.name()} --help" describes them`
  if (isUnknown) return `known commands: ${namesOf(program)}; "opsbook --help" describes them`
  return error.code === 'commander.help' ? undefined : 'add --help to the command for its usage and examples'
}

function namesOf({ commands }: Command): string {
  return commands.map((command) => command.name()).join(', ')
}

const keyOption = /^--?(app|api)[-_]?key\b/i
const keyAssignment = /\bapp[-_]?key["']?\s*[=:]/i

/** Refuses an app key on the command line, whatever the command, without repeating it. */
function refuseKeys(words: readonly string[]): void {
  const found = words.some((word) => keyOption.test(word) || keyAssignment.test(word))
  if (!found) return
  throw new CommandError(
    'usage',
    'an app key on the command line is refused: every user of this machine could read it in the process list, and the shell keeps it in its history',
    {
      hints: [
        'set OPSBOOK_BASE_URL and OPSBOOK_APP_KEY in the environment,',
        'or name the key in opsbook.yaml: "app-key: env:NAME" or "app-key: file:PATH"',
      ],
    },
  )
}
