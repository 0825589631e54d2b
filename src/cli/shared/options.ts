/** Options that several commands share, so that their names and help texts are the same everywhere. */

import { InvalidArgumentError, Option } from 'commander'
import type { EngineFlags } from '../../project/index.ts'

/** The flags that say how a run is followed. */
export interface FollowFlags extends ViewOptions {
  readonly yes?: boolean
}

/** The flags that say how a run is shown. */
export interface ViewOptions extends EngineFlags {
  readonly output: 'text' | 'json' | 'ndjson'
  readonly reveal?: boolean
  readonly quiet?: boolean
}

/** The flag of commands that print text or a document. */
export interface OutputFlags {
  readonly output: 'text' | 'json'
}

/** The flag of read-only commands. */
export interface WithActionsFlags {
  readonly withActions?: boolean
}

export function outputOption(): Option {
  return new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text')
}

/** For commands that execute a run and show it. */
export function runOutputOption(
  text = 'text: live view and report; json: one document at the end; ndjson: every event as a line',
): Option {
  return new Option('-o, --output <format>', text).choices(['text', 'json', 'ndjson']).default('text')
}

export function dataDirOption(): Option {
  return new Option('--data-dir <folder>', 'folder for journals and artifacts')
}

/** Its value is checked with the rest of the configuration. */
export function engineOption(): Option {
  const text =
    'embedded: this machine; temporal: the workers of a Temporal server (default: from opsbook.yaml)'
  return new Option('--engine <name>', text)
}

export function connectionOption(text = 'the connection, by its name in the configuration'): Option {
  return new Option('--connection <name>', text)
}

/** For the commands that can use a sandbox. */
export function allowOutsideOption(): Option {
  return new Option(
    '--allow-outside',
    'let core/http, actions of the project and notifications leave the sandbox',
  )
}

/** `does`: what the user does, such as `answers`. */
export function byOption(does: string): Option {
  return new Option('--by <name>', `who ${does}; recorded together with the system user`)
}

export function commentOption(text: string): Option {
  return new Option('--comment <text>', text)
}

/** `what` the option gives, such as an `argument`. */
export function inputOption(what = 'input'): Option {
  const text = `one ${what}: text is used as given, other types are read as YAML; repeatable`
  return new Option('-i, --input <name=value>', text).argParser(gather)
}

export function inputsFileOption(what = 'input'): Option {
  const text = `${what}s as YAML or JSON; - reads stdin; --input takes precedence`
  return new Option('--inputs-file <file>', text)
}

export function revealOption(): Option {
  return new Option('--reveal', 'show values that text output masks')
}

export function quietOption(): Option {
  return new Option('-q, --quiet', 'no progress on stderr')
}

/** For read-only commands, which execute no code of the project without this flag. */
export function withActionsOption(): Option {
  return new Option(
    '--with-actions',
    'load the modules of "actions" in opsbook.yaml, which executes their code',
  )
}

export function yesOption(): Option {
  return new Option('--yes', 'give approvals and defaults in advance; not where a step says who may answer')
}

/** For commands that list. */
export function limitOption(): Option {
  return new Option('-n, --limit <number>', 'list at most this many').argParser(positiveNumber).default(20)
}

export function positiveNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It takes a whole number from 1.')
}

/** The examples of a help text: command lines that work unchanged. */
export function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`
}

/** Collects the values of a repeatable option. */
export function gather(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value]
}

/** Help text of the argument that names a run. */
export const runArgument = 'the id of the run, the start of the id, its key (--id), or "latest"'

/** Help text of the argument that names a step. */
export const stepArgument =
  'the path of the step, such as "publish" or "hosts[3]/ask", or its id if that is unique'

/** Help text of the argument that names a runbook. */
export const runbookArgument = 'a file, or the name of a runbook in ./runbooks or in the package'
