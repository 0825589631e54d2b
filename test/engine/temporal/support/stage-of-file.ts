import type { Action } from 'opsbook'
import { afterAll, beforeAll, inject } from 'vitest'
import { openStage, type Stage, type StageOptions } from './open-stage.ts'

/** A stage for all tests of a file, filled before the first of them. */
export function stageOfFile(own?: readonly Action[], options?: StageOptions): Stage {
  const stage = {} as Stage
  beforeAll(async () => {
    Object.assign(stage, await openStage(inject('temporalAddress'), own, options))
  })
  afterAll(() => stage.close())
  return stage
}
