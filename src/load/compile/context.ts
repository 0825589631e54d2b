import type { ActionDescription } from '../../core/action.ts'
import type { Expression } from '../../core/expressions/index.ts'
import type { JsonPath } from '../../core/json.ts'
import type { RunbookYaml } from '../runbook-document.ts'
import type { Source } from '../source.ts'
import type { Children } from './children.ts'
import type { TypeScope } from './scope.ts'
import type { StepIndex } from './step-index.ts'

/** What compiling one runbook works with, and what it gathers on the way. */
export interface CompileContext {
  readonly source: Source
  readonly document: RunbookYaml
  readonly actions: ReadonlyMap<string, ActionDescription>
  /** Where every id of the runbook stands. */
  readonly index: StepIndex
  /** Ids taken so far: an id is unique in a runbook, whatever the block. */
  readonly ids: Set<string>
  /** The files that steps write, by their names as written. */
  readonly files: Map<string, JsonPath>
  readonly children: Children
  /** The callbacks that steps wait for, by name, each with the place of the first that does. */
  readonly callbacks: ReadonlyMap<string, JsonPath>
  /** The codes that `core/fail` steps name, here and in the runbooks that steps before run. */
  readonly failCodes: Set<string>
  /** The names of connections that a warning says are not checked: once for each. */
  readonly namesNotChecked: Set<string>
  /** What the first step sees. Undefined until it is known. */
  scope?: TypeScope
  /** A number of a step is made of the inputs. */
  hasSettings?: true
  /** The condition of `defaults.retry`. */
  defaultRetryWhen?: Expression | undefined
}

/** As much of it as compiling an expression takes. */
export type ExpressionContext = Pick<CompileContext, 'source' | 'index'>
