import { describe, expect, test } from 'vitest'
import type { CommandResult } from '../../../cli/support/opsbook.ts'
import { badSteps, goodSteps } from '../../../cli/support/recorded-steps.ts'
import { enginesOfFile } from './open-engines.ts'

const head = 'apiVersion: opsbook/v1\n'
const files = {
  'good.yaml': `${head}name: same-good
title: Everything in order
labels: { team: shop, tier: gold }
inputs: { type: object, properties: { host: { type: string, default: web-01 } } }
steps:
${goodSteps}
  - id: hosts
    for-each: { items: ["web-01", "nope-1", "disk-01"], as: host, tolerate: all }
    steps:
      - id: catalog
        uses: monit/tools/catalog
        with: { target_locator: "\${{ host }}" }
        save-as: "catalog-\${{ index }}.json"
outputs: { token: "\${{ steps.application.outputs.client_token }}" }
`,
  'bad.yaml': `${head}name: same-bad
steps:
${badSteps}`,
}

const engines = enginesOfFile(files)

/** What differs from one run to the next: ids, times, the names of services. */
function normal(text: string): string {
  return (
    text
      .replaceAll(engines.folder, 'FOLDER')
      .replaceAll(/run_[A-Za-z0-9._-]+/g, 'RUN')
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?/g, 'MOMENT')
      .replaceAll(/\b\d\d:\d\d:\d\d\b/g, 'TIME')
      .replaceAll(/\b\d+(\.\d+)?(ms|s)\b/g, 'SPAN')
      .replaceAll(/\b[0-9a-f]{32}\b/g, 'REQUEST')
      .replaceAll(/request\s+REQUEST/g, 'request REQUEST')
      .replaceAll(/^ *connection .*\n/gm, '')
      .replaceAll(/ +/g, ' ')
      // Of a file that was not written Temporal keeps nothing.
      .replaceAll(/^ .* not there by .*\n/gm, '')
      .replace(/\nArtifacts\n(?=\n)/, '')
  )
}

async function both(
  words: readonly string[],
): Promise<{ readonly embedded: CommandResult; readonly temporal: CommandResult }> {
  return { embedded: await engines.embedded(words), temporal: await engines.temporal(words) }
}

describe.each([
  ['good', 0],
  ['bad', 1],
] as const)('%s.yaml', (name, code) => {
  test('run ends alike on both engines', async () => {
    const { embedded, temporal } = await both(['run', `${name}.yaml`, '--id', `same ${name}`])
    expect(temporal.code).toBe(code)
    expect(embedded.code).toBe(code)
    expect(normal(temporal.stdout)).toBe(normal(embedded.stdout))
    expect(normal(temporal.stderr)).toBe(normal(embedded.stderr))
  })

  test.each([
    [['show', `same ${name}`]],
    [['show', `same ${name}`, '--full']],
    [['logs', `same ${name}`]],
    [['watch', `same ${name}`]],
    [['graph', '--run', `same ${name}`]],
    [['runs', '--runbook', `same-${name}`, '--limit', '1']],
  ])('%j says the same', async (words) => {
    const { embedded, temporal } = await both(words)
    expect(temporal.code).toBe(embedded.code)
    expect(normal(temporal.stdout)).toBe(normal(embedded.stdout))
    if (name === 'good' && words.includes('--full'))
      expect(temporal.stdout).toContain('hosts[1]/catalog (nope-1)  attempt 1')
  })

  test.each([
    [['show', `same ${name}`, '-o', 'json']],
    [['runs', '--runbook', `same-${name}`, '-n', '1', '-o', 'json']],
  ])('%j has the same fields', async (words) => {
    const { embedded, temporal } = await both(words)
    const { connection: _, ...document } = JSON.parse(normal(embedded.stdout))
    const artifacts = document.artifacts?.filter(({ bytes }: { bytes?: number }) => bytes !== undefined)
    expect(JSON.parse(normal(temporal.stdout))).toEqual(artifacts ? { ...document, artifacts } : document)
  })
})
