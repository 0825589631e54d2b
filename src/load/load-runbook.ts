import { posix } from 'node:path'
import type { ActionDescription } from '../core/action.ts'
import { builtinActions } from '../core/builtins/index.ts'
import { anyType } from '../core/expressions/index.ts'
import type { People } from '../core/people/index.ts'
import type { Plan } from '../core/plan/index.ts'
import { checkShape } from './check-shape.ts'
import type { Child, Children, Family, ReadFile } from './compile/children.ts'
import { compileDocument } from './compile/document.ts'
import type { Diagnostic } from './diagnostic.ts'
import { hashPlan } from './hash-plan.ts'
import type { KnownConnections } from './known-connections.ts'
import type { KnownHooks } from './known-hooks.ts'
import { readDocument } from './read-document.ts'
import { readSource } from './source.ts'
import { inOrder } from './yaml/findings.ts'

/** What a runbook is loaded with, beside its text. */
export interface LoadOptions {
  /** The name of its file, which findings carry. */
  readonly file?: string
  /**
   * Reads a runbook that a `core/run` step names: text or bytes, undefined where there is none, null where the path
   * leads out of the repository. It leads there from the folder of the runbook that is loaded, whichever of its children
   * names it. Left out: there is none.
   */
  readonly readRunbook?: ReadFile
  /**
   * Modules with actions that the table lacks. A step whose action one of them may define is a warning, not an error.
   * @default none: the table is complete
   */
  readonly notLoaded?: readonly string[]
  /**
   * The hooks of `opsbook.yaml`, by name: any other is a warning.
   * @default they are not known
   */
  readonly hooks?: KnownHooks
  /**
   * The names under `notify` of `opsbook.yaml`: any other is a warning.
   * @default they are not known
   */
  readonly notifyNames?: readonly string[]
  /**
   * The `people` of `opsbook.yaml`: a question that they cannot answer is a warning.
   * @default they are not known
   */
  readonly people?: People
  /**
   * Whether `opsbook.yaml` has `public-url`: without it, a callback is a warning.
   * @default it is not known
   */
  readonly hasPublicUrl?: boolean
  /**
   * The connections that steps can name.
   * @default names of connections are not checked
   */
  readonly connections?: KnownConnections
}

/** What loading came to: a plan where nothing is wrong, and everything that was found. */
export interface LoadResult {
  readonly plan?: Plan
  /** In order of place; findings about runbooks that this one runs come after its own. */
  readonly diagnostics: readonly Diagnostic[]
  /** The text of every file that was read, by the name that findings carry; of a runbook without a name by "". */
  readonly texts: Readonly<Record<string, string>>
}

/**
 * Loads a runbook from its text, or from the bytes of its file. Mistakes of its author are diagnostics with positions;
 * nothing is thrown for them.
 */
export function loadRunbook(
  input: string | Uint8Array,
  actions: readonly ActionDescription[],
  options: LoadOptions = {},
): LoadResult {
  const family = createFamily(actions, options)
  const own = options.file === undefined ? '' : posix.basename(options.file.replaceAll('\\', '/'))
  const { plan } = family.compile(input, { family, line: [own], used: new Map() })
  const diagnostics = [...family.findings.values()].flat()
  const texts = Object.fromEntries(family.texts)
  if (!plan) return { diagnostics, texts }
  const children = Object.fromEntries(
    [...family.known.entries()].flatMap(([key, child]) => (child.plan ? [[key, child.plan] as const] : [])),
  )
  return { plan: family.known.size === 0 ? plan : { ...plan, children }, diagnostics, texts }
}

function createFamily(
  actions: readonly ActionDescription[],
  { file, readRunbook, notLoaded = [], hooks, notifyNames, people, hasPublicUrl, connections }: LoadOptions,
): Family {
  const folder = file === undefined ? '' : posix.dirname(file.replaceAll('\\', '/'))
  const family: Family = {
    actions: actionsByName(actions),
    notLoaded,
    hooks,
    notifyNames,
    people,
    hasPublicUrl,
    connections,
    read: readRunbook,
    nameOf: (path) => posix.join(folder, path),
    known: new Map(),
    findings: new Map(),
    texts: new Map(),
    compile: (input, children) => compileOne(input, children, children.line.length === 1 ? file : undefined),
  }
  return family
}

const tables = new WeakMap<readonly ActionDescription[], ReadonlyMap<string, ActionDescription>>()

/** The same list comes with every file that is checked. */
function actionsByName(actions: readonly ActionDescription[]): ReadonlyMap<string, ActionDescription> {
  const known = tables.get(actions)
  if (known) return known
  const table = new Map([...builtinActions, ...actions].map((action) => [action.name, action]))
  tables.set(actions, table)
  return table
}

function compileOne(input: string | Uint8Array, children: Children, name: string | undefined): Child {
  const { family, line } = children
  const key = line.at(-1) ?? ''
  const file = line.length === 1 ? name : family.nameOf(key)
  // The place of its findings is before those of its children, which are found on the way.
  family.findings.set(key, [])
  const source = readSource(input, file)
  family.texts.set(file ?? '', source.text)
  if (source.value !== undefined) checkShape(source)
  const isMap = typeof source.value === 'object' && source.value !== null && !Array.isArray(source.value)
  const document = isMap ? readDocument(source) : undefined
  const compiled = document && compileDocument(source, document, children)
  const diagnostics = inOrder(source.findings.list)
  family.findings.set(key, diagnostics)
  const used = [...children.used.values()]
  const isSound =
    !diagnostics.some(({ severity }) => severity === 'error') && used.every((child) => child.isSound)
  return {
    key,
    inputs: document?.inputs,
    outputs: compiled?.outputs ?? anyType,
    failCodes: compiled?.failCodes ?? new Set(),
    isSound,
    depth: 1 + Math.max(0, ...used.map(({ depth }) => depth)),
    ...(compiled && isSound ? { plan: wholePlan(compiled.plan, used, source.text) } : {}),
  }
}

/** More would make the plan too large for a Temporal server. */
const mostTextCharacters = 200_000

function wholePlan(plan: Omit<Plan, 'hash' | 'text'>, children: readonly Child[], text: string): Plan {
  const kept = text.length <= mostTextCharacters ? { text } : {}
  return { ...plan, hash: hashPlan(plan, children), ...kept }
}
