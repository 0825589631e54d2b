import type { JsonObject } from '../json.ts'
import type { UsesPlan } from '../plan.ts'
import type { Frame } from '../steps/frame.ts'
import type { StepResult } from '../steps/step-result.ts'

/** A step whose action the interpreter carries out itself. */
export interface CoreCall {
  readonly path: string
  readonly uses: UsesPlan
  readonly input: JsonObject
  readonly frame: Frame
}

export type CoreStep = (call: CoreCall) => Promise<StepResult>

/** What an action that has nothing to say comes to. It has called nothing. */
export const done: StepResult = { status: 'succeeded', attempts: 0, outputs: {} }
