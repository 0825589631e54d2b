import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { createActions } from '../../src/actions/index.ts'
import { loadRunbook } from '../../src/load/index.ts'
import { deleteKey, type Place, placesOf, values } from './mutations.ts'

const folder = new URL('../../runbooks/', import.meta.url)
const actions = createActions()

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

/** Describes that a shipped runbook with one changed node gives findings or a sound plan, for the chosen nodes. */
export function describeMutatedRunbooks(isChosen: (index: number) => boolean): void {
  describe.each(readdirSync(folder).filter((file) => !file.endsWith('.test.yaml')))('%s', (file) => {
    const tree: unknown = parse(readFileSync(new URL(file, folder), 'utf8'))
    const indexes = placesOf(tree)
      .map((_, index) => index)
      .filter(isChosen)

    it.each(Object.entries(changes))(
      '%s: each node gives findings or a sound plan',
      (_, change) => {
        for (const index of indexes) {
          const mutated = structuredClone(tree)
          change(placesOf(mutated)[index] as Place)
          const text = stringify(mutated, { aliasDuplicateObjects: false })
          const { plan, diagnostics } = loadRunbook(text, actions, { file })
          const hasErrors = diagnostics.some(({ severity }) => severity === 'error')
          expect(plan === undefined, text).toBe(hasErrors)
        }
      },
      120_000,
    )
  })
}
