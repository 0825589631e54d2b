import { readdirSync, readFileSync } from 'node:fs'
import { Worker } from '@temporalio/worker'
import { expect, it } from 'vitest'
import { dataConverterFor } from '../../../src/engine/temporal/codec/create-codec.ts'
import { isRunType } from '../../../src/engine/temporal/run-listing.ts'
import { workflowBundle } from '../../../src/engine/temporal/worker/workflow-bundle.ts'
import './support/quiet-sdk.ts'

const folder = new URL('histories/', import.meta.url)
const files = readdirSync(folder).filter((file) => file.endsWith('.json'))

/** A new version replays the open runs: it must issue the same commands in the same order. */
it('runs of an earlier version can continue', async () => {
  const options = { workflowBundle: await workflowBundle(), dataConverter: dataConverterFor('throw') }
  const results: Record<string, unknown> = {}
  for (const file of files) {
    const history = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
    // Some workflows compute with their ids.
    const [{ workflowExecutionStartedEventAttributes: started }] = history.events
    const replay = Worker.runReplayHistories(options, [{ workflowId: started.workflowId, history }])
    for await (const { error } of replay) results[file] = error
  }
  expect(results).toEqual(Object.fromEntries(files.map((file) => [file, undefined])))
})

it('there is a history of every workflow that workers register', () => {
  const index = readFileSync(
    new URL('../../../src/engine/temporal/workflow/index.ts', import.meta.url),
    'utf8',
  )
  const [, exported = ''] = /^export \{([^}]+)\}/m.exec(index) ?? []
  const registered = [...exported.matchAll(/(\w+),$/gm)].map(([, name]) => name)
  const types = files.map((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8')
    return /"workflowType":\{"name":"([^"]+)"\}/.exec(text)?.[1] ?? ''
  })
  expect([...new Set(types.map((type) => (isRunType(type) ? 'default' : type)))].toSorted()).toEqual(
    registered.toSorted(),
  )
})

it('there is a history of every shipped runbook that calls the service alone', () => {
  const cases = new URL('../../cases/runbooks/', import.meta.url)
  const shipped = readdirSync(new URL('../../../runbooks/', import.meta.url)).filter(
    (file) => !file.endsWith('.test.yaml') && !/^ +http:/m.test(readFileSync(new URL(file, cases), 'utf8')),
  )
  expect(shipped.length).toBeGreaterThan(5)
  expect(files).toEqual(expect.arrayContaining(shipped.map((file) => file.replace('.yaml', '.json'))))
})
