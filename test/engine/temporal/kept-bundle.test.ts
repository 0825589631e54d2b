import { expect, it } from 'vitest'
import { keptBundle } from '../../../scripts/bundle-workflows.ts'
import { workflowBundle } from '../../../src/engine/temporal/worker/workflow-bundle.ts'

it('the workflows are bundled once for each state of the sources', async () => {
  const first = await workflowBundle()
  const again = await keptBundle(() => Promise.reject(new Error('it is bundled again')))
  expect(again).toEqual(first)
})

it('their code takes a byte for each character, and a worker keeps no text of the sources', async () => {
  const { code } = (await workflowBundle()) as { readonly code: string }
  expect(code).toMatch(/^[\0-\x7f]*$/)
  const map = Buffer.from(code.slice(code.lastIndexOf('base64,') + 'base64,'.length), 'base64').toString()
  const { sources, sourcesContent } = JSON.parse(map) as Record<string, unknown>
  expect(sources).toContainEqual(expect.stringMatching(/src\/core\/interpret\.ts$/))
  expect(sourcesContent).toBeUndefined()
})
