import { posix } from 'node:path'
import type { ActionDescription } from '../../core/action.ts'
import type { ValueType } from '../../core/expressions/index.ts'
import type { JsonSchema } from '../../core/json.ts'
import type { People } from '../../core/people/index.ts'
import type { Plan } from '../../core/plan/index.ts'
import type { Diagnostic, DiagnosticCode } from '../diagnostic.ts'
import type { KnownConnections } from '../known-connections.ts'
import type { KnownHooks } from '../known-hooks.ts'

/** A runbook that another one runs, compiled. */
export interface Child {
  /** Its path from the folder of the first runbook: its name in the plan. */
  readonly key: string
  readonly inputs: JsonSchema | undefined
  readonly outputs: ValueType
  /** The codes that its `core/fail` steps name, and those of the runbooks that it runs. */
  readonly failCodes: ReadonlySet<string>
  /** No error was found in it, nor in those it runs. */
  readonly isSound: boolean
  /** Left out where something is wrong with it. */
  readonly plan?: Plan
  /** How many runbooks deep it goes, itself included. */
  readonly depth: number
}

/** Text or bytes of a file by its path; undefined where there is none, null where the path leads out of the repository. */
export type ReadFile = (path: string) => string | Uint8Array | null | undefined

/** Why a runbook cannot be a child. */
export interface ChildProblem {
  readonly code: DiagnosticCode &
    ('INVALID_PATH' | 'RUNBOOK_NOT_FOUND' | 'RUNBOOK_CYCLE' | 'RUNBOOK_TOO_DEEP')
  readonly message: string
  readonly hint?: string
}

/** What all runbooks share that are loaded together: the first one, and those that run one another from there. */
export interface Family {
  readonly actions: ReadonlyMap<string, ActionDescription>
  /** Modules that may define more actions. */
  readonly notLoaded: readonly string[]
  /** The hooks of the project; undefined where they are not known. */
  readonly hooks: KnownHooks | undefined
  /** The names of the notification targets of the project; undefined where they are not known. */
  readonly notifyNames: readonly string[] | undefined
  /** Who may answer questions in the project; undefined where that is not known. */
  readonly people: People | undefined
  /** Whether the project has a public address for callbacks; undefined where that is not known. */
  readonly hasPublicUrl: boolean | undefined
  /** Undefined: names of connections are not checked. */
  readonly connections: KnownConnections | undefined
  /** Reads a runbook by its path from the folder of the first one. */
  readonly read: ReadFile | undefined
  /** The name of a file in findings. */
  nameOf(path: string): string
  readonly known: Map<string, Child>
  /** Findings about children, by their paths. */
  readonly findings: Map<string, readonly Diagnostic[]>
  readonly texts: Map<string, string>
  compile(input: string | Uint8Array, children: Children): Child
}

/** The children of one runbook. */
export interface Children {
  readonly family: Family
  /** The paths from the first runbook to this one. */
  readonly line: readonly string[]
  /** Those that its steps name, by their keys. */
  readonly used: Map<string, Child>
}

const deepest = 5
const most = 50

/** The child that a runbook names, read and compiled at its first mention. */
export function findChild({ family, line, used }: Children, named: string): Child | ChildProblem {
  const own = line.at(-1) ?? ''
  const path = posix.normalize(posix.join(posix.dirname(own), named))
  if (line.includes(path)) {
    const circle = [...line.slice(line.indexOf(path)), path].join(' → ')
    return { code: 'RUNBOOK_CYCLE', message: `a runbook cannot run itself: ${circle}` }
  }
  const tooDeep: ChildProblem = {
    code: 'RUNBOOK_TOO_DEEP',
    message: `runbooks run one another ${deepest} deep at most, and ${most} in all`,
  }
  if (line.length >= deepest || (!family.known.has(path) && family.known.size >= most)) return tooDeep
  const child = family.known.get(path) ?? readChild(family, line, path)
  if (child && line.length + child.depth > deepest) return tooDeep
  if (child === null) {
    const problem = `${path} is not in this repository, or a link leads out of it`
    return { code: 'INVALID_PATH', message: problem, hint: 'copy the runbook into the repository' }
  }
  if (child) used.set(path, child)
  const message = `there is no runbook ${path} in this project`
  return child ?? { code: 'RUNBOOK_NOT_FOUND', message, hint: 'the path is relative to this file' }
}

function readChild(family: Family, line: readonly string[], path: string): Child | null | undefined {
  let input: ReturnType<ReadFile>
  try {
    input = family.read?.(path)
  } catch {
    input = undefined
  }
  if (input === undefined || input === null) return input
  const child = family.compile(input, { family, line: [...line, path], used: new Map() })
  family.known.set(path, child)
  return child
}
