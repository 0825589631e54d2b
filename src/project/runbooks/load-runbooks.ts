import type { ActionDescription } from '../../core/action.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import { checkInputs, loadRunbook } from '../../load/index.ts'
import type { TriggeredRunbook } from '../../triggers/evaluate/index.ts'
import { CommandError } from '../command-error.ts'
import { knownNotifyNames } from '../configuration/notify-targets.ts'
import { readUntrusted } from '../configuration/read-configuration.ts'
import { knownConnections } from '../connections/connection.ts'
import { findRunbook, listOwnRunbooks, shortPath } from '../runbook-files/find-runbook.ts'
import { readBeside, readRunbookText } from '../runbook-files/read-runbook-text.ts'
import type { ProjectContext } from '../surroundings.ts'
import { diagnosticJson, firstFindings, printDiagnostic } from './print-diagnostic.ts'

/** What loading a plan takes into account. */
export interface LoadPlanOptions {
  /** Modules that may define more actions. */
  readonly notLoaded?: readonly string[]
  /** A sandbox stands in for every connection to the service. */
  readonly sandbox?: boolean
  /** Prints no warnings. */
  readonly isQuiet?: boolean
}

/** Loads the plan of a runbook. Throws for errors in it, and prints warnings. */
export async function loadPlan(
  named: string,
  actions: readonly ActionDescription[],
  context: ProjectContext,
  options: LoadPlanOptions = {},
): Promise<Plan> {
  const path = await findRunbook(named, context.io)
  return (await loadFile(path, actions, context, options, nothingSent)).plan
}

/** Loads a runbook from its file. Prints warnings. Throws for errors in it; the message ends with `consequence`. */
async function loadFile(
  path: string,
  actions: readonly ActionDescription[],
  context: ProjectContext,
  { notLoaded = [], sandbox = false, isQuiet = false }: LoadPlanOptions,
  consequence = '',
): Promise<TriggeredRunbook> {
  const file = shortPath(path, context.io)
  const read = readRunbookText(path)
  if ('problem' in read) {
    const { message, hint } = read.problem
    throw new CommandError('usage', `${file}: ${message}`, hint === undefined ? {} : { hints: [hint] })
  }
  const configuration = await readUntrusted(context.io)
  const {
    plan,
    diagnostics: all,
    texts,
  } = loadRunbook(read.text, actions, {
    file,
    readRunbook: readBeside(path),
    notLoaded,
    hasPublicUrl: configuration.document.serve?.['public-url'] !== undefined,
    connections: knownConnections(configuration, context.io, sandbox),
    ...knownNotifyNames(configuration),
  })
  const diagnostics = firstFindings(all)
  const lines = diagnostics.flatMap((finding) => {
    const name = finding.file ?? file
    return [...printDiagnostic(name, texts[name] ?? '', finding, context.errorPaint), '']
  })
  if (!plan) {
    throw new CommandError('usage', `${file} is not a valid runbook${consequence}`, {
      code: 'InvalidRunbook',
      details: lines.join('\n'),
      diagnostics: diagnostics.map((finding) => diagnosticJson({ file, ...finding })),
    })
  }
  if (lines.length > 0 && !isQuiet) context.io.stderr.write(`${lines.join('\n')}\n`)
  return { plan, file, text: read.text }
}

/** Loads the named runbooks, else all of the folder `runbooks` here. Throws if one of them is invalid. */
export async function loadRunbooks(
  named: readonly string[],
  actions: readonly ActionDescription[],
  context: ProjectContext,
  options: LoadPlanOptions = {},
): Promise<readonly TriggeredRunbook[]> {
  const files =
    named.length > 0
      ? await Promise.all(named.map((name) => findRunbook(name, context.io)))
      : (await listOwnRunbooks(context.io)).map(({ file }) => file)
  const { loaded, refused } = await loadEach(files, actions, context, options)
  // One error for all of them, so that the user can fix them together.
  const [first, ...more] = refused.map(({ error }) => error)
  if (first !== undefined) throw more.length === 0 ? first : joined([first, ...more])
  return loaded
}

/** The loaded runbooks, and the invalid ones. */
export interface LoadedRunbooks {
  readonly loaded: readonly TriggeredRunbook[]
  readonly refused: readonly { readonly file: string; readonly error: CommandError }[]
}

/** Loads each of the files; an invalid runbook does not affect the others. */
export async function loadEach(
  files: readonly string[],
  actions: readonly ActionDescription[],
  context: ProjectContext,
  options: LoadPlanOptions = {},
): Promise<LoadedRunbooks> {
  const loaded = new Map<string, TriggeredRunbook>()
  const refused: { file: string; error: CommandError }[] = []
  for (const file of new Set(files)) {
    try {
      const runbook = await loadFile(file, actions, context, options)
      const other = loaded.get(runbook.plan.name)
      if (other) throw sameName(other, runbook)
      loaded.set(runbook.plan.name, runbook)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      refused.push({ file, error })
    }
  }
  return { loaded: [...loaded.values()], refused }
}

/** One error for several invalid files, with all findings. */
function joined(refused: readonly CommandError[]): CommandError {
  const findings = refused.flatMap(({ details }) => (details === undefined ? [] : [details]))
  const diagnostics = refused.flatMap((one) => one.diagnostics ?? [])
  return new CommandError('usage', refused.map(({ message }) => message).join('\n'), {
    ...(findings.length === 0 ? {} : { details: findings.join('\n'), diagnostics }),
  })
}

/** The error for two runbooks of one name: runs and triggers are recorded under the name. */
function sameName(one: TriggeredRunbook, other: TriggeredRunbook): CommandError {
  const message = `${one.file} and ${other.file} are both called ${other.plan.name}`
  return new CommandError('usage', message, { hints: ['give each runbook a different name'] })
}

/** A hint of the command line. A form has fields for them. */
export const howToGiveInputs = 'give them with --input name=value or --inputs-file'

/** Ends refusals of the command line. In the console, the page says what was not done. */
export const nothingSent = '; nothing was sent'

/** Checks inputs, and returns them with their defaults. Throws if they are invalid. */
export function checkRunInputs(plan: Plan, given: JsonObject): JsonObject {
  const { inputs, problems } = checkInputs(plan, given)
  if (problems.length === 0) return inputs
  throw new CommandError('usage', `the inputs do not fit ${plan.name}${nothingSent}`, {
    code: 'InvalidInput',
    hints: [...problems.map(({ path, message }) => withPath(path, message)), ...describeInputs(plan)],
  })
}

/** Adds the path of a value to a message that names only its last part. */
function withPath(path: string, message: string): string {
  if (path === '' || message.includes(`"${path}"`) || message.startsWith(`${path} `)) return message
  const [quoted, name] = /^"(.*?)"(?= )/.exec(message) ?? []
  const isLast = quoted !== undefined && (path.endsWith(`.${name}`) || path.endsWith(`[${name}]`))
  return isLast ? path + message.slice(quoted.length) : `${path}: ${message}`
}

/** One line with the inputs of the runbook. */
function describeInputs({ inputs }: Plan): readonly string[] {
  const properties = Object.keys((inputs?.['properties'] as object | undefined) ?? {})
  if (properties.length === 0) return ['the runbook takes no inputs']
  const required = (inputs?.['required'] as readonly string[] | undefined) ?? []
  const names = properties.map((name) => (required.includes(name) ? `${name} (required)` : name))
  return [`inputs: ${names.join(', ')}`, howToGiveInputs]
}
