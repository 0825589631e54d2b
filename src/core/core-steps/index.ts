import { approve } from './approve.ts'
import { assert } from './assert.ts'
import type { CoreStep } from './core-step.ts'
import { log } from './log.ts'
import { runChild } from './run.ts'
import { set } from './set.ts'
import { wait } from './wait.ts'

/** The actions that the interpreter carries out itself, by their names. */
export const coreSteps: Readonly<Record<string, CoreStep>> = {
  'core/wait': wait,
  'core/approve': approve,
  'core/set': set,
  'core/assert': assert,
  'core/run': runChild,
  'core/log': log,
}
