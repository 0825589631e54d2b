import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { createActions } from '../../src/actions/index.ts'
import type { ActionDescription } from '../../src/core/action.ts'
import { runCaseFiles } from '../conformance/run-case-files.ts'
import { testActions } from '../conformance/test-actions.ts'
import { type LoadCase, runbookOf } from '../load/load-case.ts'

/** Runbooks without a mistake, for a test to make some in. */
export interface MutatedSource {
  readonly name: string
  readonly trees: readonly unknown[]
}

const own = createActions([], { commands: { local: true, ssh: ['*.prod.example'] } })

/** The actions that the runbooks use. Commands are loaded, and never run. */
export const mutatedActions: readonly ActionDescription[] = [
  ...own,
  ...testActions.filter(({ name }) => name.startsWith('test/')),
]

const shipped = new URL('../../runbooks/', import.meta.url)

/** The runbooks that ship, file by file. */
export const shippedSources: readonly MutatedSource[] = readdirSync(shipped)
  .filter((file) => !file.endsWith('.test.yaml'))
  .map((file) => ({ name: file, trees: [parse(readFileSync(new URL(file, shipped), 'utf8'))] }))

/** A runbook that a shipped one runs. */
export function readShipped(path: string): string | undefined {
  const file = new URL(path, shipped)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

const runFiles = ['choose', 'turns', '14-listen', 'people', 'http', '14-failures', 'settings']
const loadFiles = ['ask', 'command', 'listen', 'http', 'choose', 'turns']

/** Runbooks of the cases, which have the forms that few shipped ones use. */
export function caseSources(): readonly MutatedSource[] {
  const runs = runCaseFiles
    .filter(({ file }) => runFiles.includes(file.replace('.yaml', '')))
    .map(({ file, cases }) => ({
      name: `run/${file}`,
      texts: cases
        .filter(({ files, expect }) => files === undefined && expect !== undefined)
        .map(({ runbook }) => `apiVersion: opsbook/v1\nname: a\n${runbook}`),
    }))
  const loads = loadFiles.map((file) => ({
    name: `load/${file}.yaml`,
    texts: (parse(readFileSync(new URL(`../cases/load/${file}.yaml`, import.meta.url), 'utf8')) as LoadCase[])
      .filter(({ files, findings }) => files === undefined && findings.length === 0)
      .map(runbookOf),
  }))
  return [...runs, ...loads].map(({ name, texts }) => ({
    name,
    trees: [...new Set(texts)].map((text) => parse(text)),
  }))
}
