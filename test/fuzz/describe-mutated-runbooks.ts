import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { loadRunbook } from '../../src/load/index.ts'
import { type MutatedSource, mutatedActions, readShipped } from './mutated-sources.ts'
import { deleteKey, type Place, placesOf, values } from './mutations.ts'

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

/**
 * Describes that a runbook with one changed node gives findings or a sound plan. Every change is made, each to another
 * one of this many parts of the nodes.
 */
export function describeMutatedRunbooks(sources: readonly MutatedSource[], parts: number): void {
  const numbered = Object.entries(changes).map(([name, change], number) => [name, change, number] as const)
  describe.each(sources)('$name', ({ trees }) => {
    it('gives plans as it is', () => {
      for (const tree of trees) expect(load(stringify(tree)).plan, stringify(tree)).toBeDefined()
    })

    it.each(numbered)(
      '%s: each node gives findings or a sound plan',
      (_, change, number) => {
        for (const tree of trees) {
          for (const node of placesOf(tree).keys()) {
            if ((node + number) % parts !== 0) continue
            const mutated = structuredClone(tree)
            change(placesOf(mutated)[node] as Place)
            const text = stringify(mutated, { aliasDuplicateObjects: false })
            const { plan, diagnostics } = load(text)
            const hasErrors = diagnostics.some(({ severity }) => severity === 'error')
            expect(plan === undefined, text).toBe(hasErrors)
          }
        }
      },
      120_000,
    )
  })
}

function load(text: string): ReturnType<typeof loadRunbook> {
  return loadRunbook(text, mutatedActions, { file: 'a.yaml', readRunbook: readShipped })
}
