import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

const allowed = [
  ['src/core/probe.ts', './json.ts'],
  ['src/core/steps/probe.ts', '../json.ts'],
  ['src/core/steps/probe.ts', '../expressions/tree.ts'],
  ['src/schema/probe.ts', '../core/json.ts'],
  ['src/schema/probe.ts', 'ajv'],
  ['src/load/probe.ts', '../core/json.ts'],
  ['src/load/probe.ts', '../schema/index.ts'],
  ['src/load/compile/probe.ts', '../triggers/compile-triggers.ts'],
  ['src/load/probe.ts', 'yaml'],
  ['src/view/graph/probe.ts', '../../core/json.ts'],
  ['src/view/graph/probe.ts', 'string-width'],
  ['src/api/probe.ts', '../core/json.ts'],
  ['src/api/operations/probe.ts', '../../core/json.ts'],
  ['src/actions/probe.ts', '../api/index.ts'],
  ['src/engine/embedded/probe.ts', '../../actions/index.ts'],
  ['src/engine/embedded/probe.ts', '../file-lock.ts'],
  ['src/engine/embedded/schedules/probe.ts', '../../../core/triggers/schedule-record.ts'],
  ['src/engine/temporal/probe.ts', '../../core/plan/index.ts'],
  ['src/engine/temporal/probe.ts', '../../api/index.ts'],
  ['src/engine/temporal/probe.ts', '../../actions/index.ts'],
  ['src/engine/temporal/probe.ts', '@temporalio/client'],
  ['src/notifications/probe.ts', '../engine/embedded/index.ts'],
  ['src/testing/host/probe.ts', '../../core/json.ts'],
  ['src/testing/probe.ts', '../load/index.ts'],
  ['src/sandbox/probe.ts', '../api/operations/index.ts'],
  ['src/sandbox/tools/probe.ts', '../../api/operations/index.ts'],
  ['src/cli/probe.ts', '../engine/embedded/index.ts'],
  ['src/console/server/probe.ts', '../../engine/index.ts'],
  ['src/documents/probe.ts', '../view/run/index.ts'],
  ['src/project/probe.ts', '../documents/index.ts'],
  ['src/project/service/probe.ts', '../../sandbox/index.ts'],
  ['src/acts/probe.ts', '../project/index.ts'],
  ['src/acts/probe.ts', '../triggers/schedules/index.ts'],
  ['src/console/server/probe.ts', '../../acts/start/index.ts'],
  ['src/console/server/probe.ts', '../../load/yaml/index.ts'],
  ['src/console/pages/run/probe.ts', '../acts/exact-form.tsx'],
  ['src/cli/start/probe.ts', '../../acts/index.ts'],
] as const

const refused = [
  ['src/documents/probe.ts', '../project/index.ts'],
  ['src/triggers/probe.ts', '../project/index.ts'],
  ['src/engine/embedded/probe.ts', '../../project/index.ts'],
  ['src/load/probe.ts', '../project/index.ts'],
  ['src/project/probe.ts', '../acts/index.ts'],
  ['src/project/probe.ts', '../console/server/index.ts'],
  ['src/project/configuration/probe.ts', '../../cli/shared/io.ts'],
  ['src/documents/probe.ts', '../acts/index.ts'],
  ['src/triggers/server/probe.ts', '../../acts/index.ts'],
  ['src/acts/probe.ts', '../cli/main.ts'],
  ['src/acts/probe.ts', '../console/server/index.ts'],
  ['src/acts/probe.ts', '../sandbox/index.ts'],
  ['src/console/pages/run/probe.ts', '../../../acts/index.ts'],
  ['src/console/pages/probe.ts', '../../project/index.ts'],
  ['src/documents/probe.ts', '../cli/main.ts'],
  ['src/documents/probe.ts', '../console/state.ts'],
  ['src/engine/embedded/probe.ts', '../../documents/index.ts'],
  ['src/view/graph/probe.ts', '../../documents/index.ts'],
  ['src/console/server/probe.ts', '../../cli/main.ts'],
  ['src/console/server/probe.ts', '../../load/index.ts'],
  ['src/console/server/probe.ts', '../../actions/index.ts'],
  ['src/console/pages/probe.ts', '../../load/index.ts'],
  ['src/core/probe.ts', 'node:fs'],
  ['src/core/probe.ts', 'undici'],
  ['src/core/probe.ts', '../load/index.ts'],
  ['src/core/probe.ts', '../schema/index.ts'],
  ['src/schema/probe.ts', '../load/index.ts'],
  ['src/schema/probe.ts', '../api/index.ts'],
  ['src/core/steps/probe.ts', '../../api/index.ts'],
  ['src/load/probe.ts', '../actions/index.ts'],
  ['src/testing/probe.ts', '../actions/index.ts'],
  ['src/testing/host/probe.ts', '../../engine/index.ts'],
  ['src/testing/probe.ts', 'node:net'],
  ['src/load/probe.ts', '../api/operations/index.ts'],
  ['src/view/graph/probe.ts', '../../cli/main.ts'],
  ['src/view/graph/probe.ts', '../../load/index.ts'],
  ['src/view/graph/probe.ts', 'node:fs'],
  ['src/api/probe.ts', '../load/index.ts'],
  ['src/api/probe.ts', '../sandbox/index.ts'],
  ['src/actions/probe.ts', '../engine/embedded/index.ts'],
  ['src/engine/embedded/probe.ts', '../../cli/main.ts'],
  ['src/engine/embedded/probe.ts', '../temporal/index.ts'],
  ['src/engine/embedded/probe.ts', '../../load/index.ts'],
  ['src/engine/embedded/probe.ts', '../../triggers/schedules/next-starts.ts'],
  ['src/engine/temporal/probe.ts', '../../triggers/schedules/next-starts.ts'],
  ['src/engine/embedded/probe.ts', '../../notifications/index.ts'],
  ['src/engine/embedded/probe.ts', '@temporalio/client'],
  ['src/engine/temporal/probe.ts', '../embedded/index.ts'],
  ['src/engine/temporal/probe.ts', '../../load/index.ts'],
  ['src/engine/temporal/probe.ts', '../../notifications/index.ts'],
  ['src/engine/temporal/probe.ts', '../../cli/main.ts'],
  ['src/engine/temporal/probe.ts', '../../sandbox/index.ts'],
  ['src/notifications/probe.ts', '../cli/main.ts'],
  ['src/notifications/probe.ts', '../api/index.ts'],
  ['src/sandbox/probe.ts', '../core/json.ts'],
  ['src/sandbox/probe.ts', '../notifications/index.ts'],
  ['src/sandbox/probe.ts', '../api/index.ts'],
  ['src/sandbox/tools/probe.ts', '../../api/client/create-client.ts'],
] as const

const folder = mkdtempSync(join(tmpdir(), 'opsbook-fences-'))
let report = ''

/** One file for each import, in the folder it would stand in. */
const probe = (file: string, imported: string): string => {
  const number = [...allowed, ...refused].findIndex((entry) => entry[0] === file && entry[1] === imported)
  return file.replace('probe', `probe-${number}`)
}

describe('import fences', () => {
  beforeAll(() => {
    for (const name of ['biome.json', '.gitignore']) cpSync(join(root, name), join(folder, name))
    for (const [file, imported] of [...allowed, ...refused]) {
      const path = join(folder, probe(file, imported))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `import { x } from '${imported}'\n\nexport const y = x\n`)
    }
    const biome = join(root, 'node_modules/.bin/biome')
    const args = ['lint', '--only=style/noRestrictedImports', '--max-diagnostics=none', '--colors=off']
    const { stdout, stderr } = spawnSync(biome, args, { cwd: folder, encoding: 'utf8' })
    report = stdout + stderr
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it.each(allowed)('%s may import %s', (file, imported) => {
    // The probes and biome.json itself: an import that was not looked at is not allowed.
    expect(report).toContain(`Checked ${allowed.length + refused.length + 1} files`)
    expect(report).not.toContain(`${probe(file, imported)}:`)
  })
  it.each(refused)('%s may not import %s', (file, imported) => {
    expect(report).toContain(`${probe(file, imported)}:`)
  })
})
