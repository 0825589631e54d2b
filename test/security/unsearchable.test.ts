/** The attack: texts that a mask cannot search in time, or at all. They are not shown, and nothing fails for them. */
import { type ActionDefinition, defineAction, type JsonObject, RunbookError } from 'opsbook'
import { expect, test } from 'vitest'
import { createRunSecrets, runWithSecrets } from '../../src/actions/index.ts'
import type { Io } from '../../src/cli/shared/io.ts'
import { createLogger } from '../../src/cli/shared/logger.ts'
import { createMask, notShown } from '../../src/core/mask/mask.ts'
import { contextWith } from '../actions/context-with.ts'

/** Secrets that have so much in common that a text of the same kind takes longest. */
const alike = Array.from({ length: 800 }, (_, more) => `${'a'.repeat(100 + more)}b`)
const text = 'a'.repeat(100_000)

function attempt(run: ActionDefinition<JsonObject, unknown>['run'], log: unknown[] = []): Promise<unknown> {
  const action = defineAction<JsonObject>({
    name: 'acme/thing/create',
    summary: 'Makes a thing',
    safety: 'create',
    input: { type: 'object' },
    output: { type: 'object' },
    run,
  })
  const secrets = createRunSecrets(
    { resolve: () => Promise.reject(new Error('none')), others: async () => alike },
    [],
  )
  const context = contextWith({ log: (_, ...line) => log.push(line) })
  return runWithSecrets(action, {}, [], secrets, context).catch((thrown: unknown) => thrown)
}

test('the answer of a create is kept, but for what cannot be searched', async () => {
  const logged: unknown[] = []
  const answer = await attempt((_, { log }) => {
    log.info(text, { text })
    return { thing_id: 'thing-1', text }
  }, logged)
  expect(answer).toMatchObject({ output: { thing_id: 'thing-1', text: notShown } })
  expect(logged).toEqual([[notShown, { text: notShown }]])
})

test('an error keeps its code', async () => {
  const error = await attempt(() => {
    throw new RunbookError('ThingExists', text, { details: { text } })
  })
  expect(error).toMatchObject({ code: 'ThingExists', message: notShown, details: { text: notShown } })
})

test('to log does not throw, whatever the line or the stream', async () => {
  let written = ''
  const write = (line: string): void => {
    if (line.includes('broken')) throw new Error('the stream is broken')
    written += line
  }
  const logger = await createLogger('info', { stderr: { write } } as unknown as Io, createMask(alike))
  logger?.info({ text }, 'a line')
  logger?.info('broken')
  logger?.info('another line')
  const lines = written.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([notShown, 'another line'])
})
