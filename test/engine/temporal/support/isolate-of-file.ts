import { afterAll, beforeAll } from 'vitest'
import { createIsolate, type Isolate } from '../isolate/create-isolate.ts'

/** An isolate for all tests of a file, filled before the first of them. */
export function isolateOfFile(): Isolate {
  const isolate = {} as Isolate
  beforeAll(async () => {
    Object.assign(isolate, await createIsolate())
  })
  afterAll(() => isolate.close())
  return isolate
}
