/** Options that several commands take, so that they are called the same and say the same everywhere. */
import { InvalidArgumentError, Option } from 'commander'
import { gather } from './examples.ts'

/** The flag of commands that answer in words or with a document. */
export interface OutputFlags {
  readonly output: 'text' | 'json'
}

/** The flag of commands that only look. */
export interface WithActionsFlags {
  readonly withActions?: boolean
}

/** The flag of commands that work with the record of runs. */
export interface DataDirFlags {
  readonly dataDir?: string
}

/** The flags of commands that work with runs, wherever these are. */
export interface EngineFlags extends DataDirFlags {
  readonly engine?: string
}

export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to answer').choices(['text', 'json']).default('text')
}

/** Of commands that carry a run out and show it meanwhile. */
export function runOutputOption(
  text = 'text: live view and report; json: one document at the end; ndjson: every event as a line',
): Option {
  return new Option('-o, --output <format>', text).choices(['text', 'json', 'ndjson']).default('text')
}

export function dataDirOption(): Option {
  return new Option('--data-dir <folder>', 'where the journal and the artifacts are kept')
}

/** Its value is checked with the rest of the configuration. */
export function engineOption(): Option {
  const text =
    'embedded: this machine; temporal: the workers of a Temporal server (default: that of opsbook.yaml)'
  return new Option('--engine <name>', text)
}

export function connectionOption(text = 'which connection of the configuration'): Option {
  return new Option('--connection <name>', text)
}

/** For the commands that can use a sandbox. */
export function allowOutsideOption(): Option {
  return new Option(
    '--allow-outside',
    'let core/http, actions of the project and notifications leave the sandbox',
  )
}

/** `does`: what the person does, such as `answers`. */
export function byOption(does: string): Option {
  return new Option('--by <name>', `who ${does}; recorded beside the system user`)
}

export function commentOption(text: string): Option {
  return new Option('--comment <text>', text)
}

/** `what` is given, such as an `argument`. */
export function inputOption(what = 'input'): Option {
  const text = `one ${what}: a text as it stands, anything else as YAML; repeatable`
  return new Option('-i, --input <name=value>', text).argParser(gather)
}

export function inputsFileOption(what = 'input'): Option {
  const text = `${what}s as YAML or JSON; - reads stdin; --input goes before it`
  return new Option('--inputs-file <file>', text)
}

export function revealOption(): Option {
  return new Option('--reveal', 'show values that text output masks')
}

export function quietOption(): Option {
  return new Option('-q, --quiet', 'no progress on stderr')
}

/** Of commands that only look: they run no code of the project unless they are asked to. */
export function withActionsOption(): Option {
  return new Option(
    '--with-actions',
    'import the modules that "actions" of opsbook.yaml names: runs their code',
  )
}

export function yesOption(): Option {
  return new Option('--yes', 'approve everything in advance')
}

/** Of commands that list. */
export function limitOption(): Option {
  return new Option('-n, --limit <number>', 'no more than so many').argParser(positiveNumber).default(20)
}

function positiveNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It takes a whole number from 1.')
}
