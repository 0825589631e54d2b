import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { createActions } from '../../src/actions/index.ts'
import { loadRunbook } from '../../src/load/index.ts'
import { deleteKey, type Place, placesOf, values } from './mutations.ts'

const folder = new URL('../../runbooks/', import.meta.url)
const actions = createActions()
const mostMs = 1000

type Change = (place: Place) => void

const changes: Readonly<Record<string, Change>> = {
  delete: ({ holder, key }) => deleteKey(holder, key),
  rename: ({ holder, key }) => {
    if (Array.isArray(holder)) return
    const value = holder[key]
    deleteKey(holder, key)
    holder[`${key}x`] = value
  },
  ...Object.fromEntries(
    values.map((value) => [
      `retype as ${JSON.stringify(value)}`,
      ({ holder, key }: Place) => {
        holder[key] = structuredClone(value)
      },
    ]),
  ),
}

describe.each(readdirSync(folder))('%s', (file) => {
  const tree: unknown = parse(readFileSync(new URL(file, folder), 'utf8'))
  const count = placesOf(tree).length

  it.each(Object.entries(changes))(
    '%s: each node gives findings or a sound plan',
    (_, change) => {
      for (let index = 0; index < count; index++) {
        const mutated = structuredClone(tree)
        change(placesOf(mutated)[index] as Place)
        const text = stringify(mutated, { aliasDuplicateObjects: false })
        const before = process.cpuUsage()
        const { plan, diagnostics } = loadRunbook(text, actions, { file })
        const { user, system } = process.cpuUsage(before)
        const hasErrors = diagnostics.some(({ severity }) => severity === 'error')
        expect(plan === undefined, text).toBe(hasErrors)
        expect((user + system) / 1000, text).toBeLessThan(mostMs)
      }
    },
    120_000,
  )
})
