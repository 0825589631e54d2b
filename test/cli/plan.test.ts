import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'
import { startService } from './support/service.ts'

// What is known of a runbook is data: test/cases/preview. Here is what the command makes of it.
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

/** A runbook with everything that a plan has words for, and the connection and the hosts that it needs. */
const everything = read('plan.yaml')
const configuration = `connections:
  github: { type: http, base-url: "https://api.github.example", auth: { type: bearer, token: env:GITHUB_TOKEN }, limits: { per-minute: 80 } }
commands: { ssh: ["*.prod.example"] }
`
const mode = ['-i', 'mode=fast']

/** An inline runbook of these steps, with an optional input. */
function runbookOf(...steps: readonly string[]): string {
  const inputs = 'inputs: { type: object, required: [n], properties: { n: { type: integer } } }'
  return ['apiVersion: opsbook/v1', 'name: a', inputs, 'steps:', ...steps].join('\n')
}

function list(count: number): string {
  return `hosts=[${Array.from({ length: count }, (_, index) => `n${index}`).join(', ')}]`
}

async function plan(
  words: readonly string[],
  runbook = everything,
  more: Omit<Parameters<typeof opsbook>[1], 'folder'> = {},
): ReturnType<typeof opsbook> {
  const folder = await newFolder({ 'hosts.yaml': runbook, 'opsbook.yaml': configuration })
  return opsbook(['plan', 'hosts.yaml', ...words], { folder, env: { GITHUB_TOKEN: 'x' }, ...more })
}

describe('as text', () => {
  test('every step with what is known, and what they come to', async () => {
    const words = ['-i', list(130), '-i', 'session_id=sess_short', ...mode]
    const { code, stdout, stderr } = await plan(words, everything, { columns: 80 })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    // The next times depend on the day.
    const dated = /\w{3} \d{4}-\d\d-\d\d \d\d:\d\d [\w+-]+/g
    expect(stdout.replaceAll(dated, 'DAY DATE TIME ZONE')).toBe(read('plan.golden.txt'))
  })

  test('numbers for which an input is missing stand as expressions', async () => {
    const runbook = runbookOf(
      '  - { id: each, for-each: { items: [1, 2], max-parallel: "${{ inputs.n }}" }, uses: core/log, with: { message: x } }',
      '  - { id: both, max-parallel: "${{ inputs.n }}", parallel: [{ id: a, uses: core/log, with: { message: x } }] }',
      '  - id: rounds',
      '    repeat: { until: "${{ turn.index == 1 }}", at-most: 2, interval: "${{ inputs.n }}m" }',
      '    steps: [{ id: round, uses: core/log, with: { message: x } }]',
      '  - id: poll',
      '    uses: monit/tools/catalog',
      '    with: { target_locator: web-01 }',
      '    retry: { attempts: "${{ inputs.n }}" }',
      '    repeat: { until: "${{ outputs.tools != [] }}", max-wait: "${{ inputs.n }}h" }',
    )
    const { stdout } = await plan([], runbook)
    expect(stdout).toContain('n  not given: required, whole number')
    expect(stdout).toContain('item of 2 items, ${{ inputs.n }} at a time\n')
    expect(stdout).toContain('1 branch · ${{ inputs.n }} at a time\n')
    expect(stdout).toContain('1 or 2 turns, ${{ inputs.n }}m between them\n')
    expect(stdout).toContain('every 5s, for ${{ inputs.n }}h at most\n')
    expect(stdout).toContain('up to ${{ inputs.n }}, at most')
    const source = '${{ inputs.n }}'
    expect(JSON.parse((await plan(['-o', 'json'], runbook)).stdout).steps).toMatchObject([
      { for_each: { max_parallel: { source } } },
      { max_parallel: { source } },
      { repeat: { interval_ms: { source: `${source}m` } } },
      { uses: { retry: { attempts: { source } }, repeat: { max_wait_ms: { source: `${source}h` } } } },
    ])
  })

  test('fits a terminal of 80 columns, and cuts no value where it goes to a file or a pipe', async () => {
    const words = ['-i', list(130), '-i', `session_id=${'x'.repeat(200)}`, ...mode]
    const narrow = await plan(words, everything, { columns: 80 })
    expect(Math.max(...narrow.stdout.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(80)
    const { stdout } = await plan(words)
    expect(stdout).toContain('"n128","n129"]\n')
    expect(stdout).toContain('x'.repeat(200))
  })

  test('a runbook that is run is shown inside its step', async () => {
    const child = runbookOf('  - { id: look, uses: monit/tools/catalog, with: { target_locator: a } }')
    const parent = runbookOf(
      '  - { id: all, uses: core/run, with: { runbook: ./child.yaml, inputs: { n: 1 } } }',
    )
    const folder = await newFolder({ 'child.yaml': child, 'parent.yaml': parent })
    const { code, stdout } = await opsbook(['plan', 'parent.yaml'], { folder })
    expect(code).toBe(0)
    expect(stdout).toMatch(/ {2}· all\n +runs +core\/run · 1 call\n/)
    expect(stdout).toMatch(/ {6}· look\n +reads +monit\/tools\/catalog · 1 call\n/)
  })

  test('what depends on inputs that are not given is open', async () => {
    const { code, stdout } = await plan([])
    expect(code).toBe(0)
    expect(stdout).toContain('hosts       not given: required, list of text')
    expect(stdout).toContain('session_id  not given: optional')
    expect(stdout).toContain('monit/preview/sync · 1 call for each item')
    expect(stdout).toMatch(/target_locator +needs inputs\.hosts/)
    expect(stdout).toMatch(/– ask\n +if +steps\.checks.*\n +→ false: it is skipped/)
  })

  test('the attempts of an action that is not loaded, whose time limit is not known', async () => {
    const folder = await newFolder({
      'opsbook.yaml': 'actions: [./a.mjs]\n',
      'a.yaml': runbookOf('  - { id: a, uses: acme/close, retry: { attempts: 3, errors: [TicketsClosed] } }'),
    })
    const { stdout } = await opsbook(['plan', 'a.yaml'], { folder })
    expect(stdout).toContain('attempts  up to 3, on TicketsClosed')
  })

  test('the calls of each account are counted together, whatever the connection is called', async () => {
    const loop = (id: string, more = ''): string =>
      `  - { id: ${id}, for-each: { items: "\${{ range(40) }}" }, uses: monit/preview/sync, with: { ds_type: a, ds_name: b, expr: up }${more} }`
    const folder = await newFolder({
      'hosts.yaml': runbookOf(loop('one'), loop('again', ', connection: other')),
    })
    const time = async (...flags: readonly string[]): Promise<string | undefined> => {
      const { stdout } = await opsbook(['plan', 'hosts.yaml', ...flags], { folder })
      return /shortest time +at least (.*)/.exec(stdout)?.[1]
    }
    expect(await time()).toBe('6.0s')
    // Whatever a step names, it is the one sandbox.
    expect(await time('--sandbox')).toBe('1m 01s')
    const connection = (name: string, account: string): string =>
      `  ${name}: { base-url: "https://api.example.com", app-key: "env:KEY_${name}", account: ${account} }\n`
    writeFileSync(
      `${folder}/opsbook.yaml`,
      `connections:\n${connection('default', 'one')}${connection('other', 'one')}`,
    )
    expect(await time()).toBe('1m 01s')
  })
})

describe('as a document', () => {
  test('says the same', async () => {
    const { code, stdout } = await plan(['-i', list(3), '-i', 'session_id=s', ...mode, '-o', 'json'])
    expect(code).toBe(0)
    const document = JSON.parse(stdout)
    expect(document).toMatchObject({
      version: 1,
      runbook: 'hosts',
      inputs: [
        { name: 'hosts', required: true, state: 'given', value: ['n0', 'n1', 'n2'] },
        { name: 'session_id', required: false, state: 'given' },
        { name: 'team_id', state: 'default', value: 1 },
        {},
        {},
      ],
      triggers: [
        {
          type: 'incident',
          where: "event.incident.severity == 'Critical'",
          dedupe_key: { state: 'open', needs: ['event.incident.id'] },
          cooldown: { for_ms: 900_000, key: { state: 'open' } },
          max_starts: { count: 20, per_ms: 600_000 },
          inputs: [{ name: 'hosts', state: 'open' }, {}],
        },
        {
          type: 'schedule',
          cron: '0 8 * * 1-5',
          timezone: 'Europe/Berlin',
          overlap: 'skip',
          catch_up_ms: 600_000,
          next: Array.from({ length: 5 }, () => expect.stringMatching(/T0[67]:00:00\.000Z$/)),
          inputs: [{ name: 'hosts', state: 'known', value: ['web-01'] }, {}],
        },
        { type: 'schedule', every_ms: 21_600_000, overlap: 'allow-all', next: { length: 5 } },
      ],
      timeout_ms: 1_800_000,
      concurrency: { key: { state: 'known', value: 1 }, on_conflict: 'skip' },
      finally: [{ path: 'report', uses: { save_as: { state: 'known', value: 'report.md' } } }],
      totals: {
        calls: { least: 10, most: null },
        calls_by_risk: { create: { least: 0, most: 1 }, idempotent: { least: 1, most: 1 } },
        approvals: [{ path: 'ask', certain: false }],
        secrets: [{ name: 'agent_token', steps: ['agent'] }, {}, {}],
      },
      problems: [],
    })
    expect(document.steps.slice(0, 5)).toMatchObject([
      {
        path: 'everywhere',
        runs: 'yes',
        for_each: { count: 3, max_parallel: 4, tolerate: '10%' },
        calls: { least: 3, most: 3 },
      },
      { path: 'tools', uses: { action: 'monit/tools/catalog', risk: 'read' } },
      {
        path: 'checks',
        calls: { least: 1, most: null },
        uses: { batch: { argument: 'tools', size: 8, items: null } },
      },
      { path: 'ask', runs: 'open', condition: { state: 'open', needs: ['steps.checks.outputs'] } },
      {
        path: 'agent',
        uses: { risk: 'create', secrets: ['agent_token'] },
        catch: [{ errors: ['AccessDenied'], steps: [{ path: 'agent/refused' }] }],
      },
    ])
  })

  test('has no field that the documentation does not have', async () => {
    const everyKey = fileURLToPath(new URL('../load/editor-schema/every-key.yaml', import.meta.url))
    const documents = [
      JSON.parse((await opsbook(['plan', everyKey, '-i', 'host=web-01', '-o', 'json'])).stdout),
      JSON.parse((await plan(['-i', 'hosts=["", n1]', '-o', 'json'])).stdout),
      JSON.parse((await plan(['-o', 'json'])).stdout),
    ]
    const page = read('../../docs/plan.md')
    for (const key of keysOf(documents)) expect(page).toContain(`\`${key}\``)
  })
})

function keysOf(value: unknown): ReadonlySet<string> {
  if (Array.isArray(value)) return new Set(value.flatMap((item) => [...keysOf(item)]))
  if (typeof value !== 'object' || value === null) return new Set()
  // The values of the runbook have keys of their own.
  const entries = Object.entries(value).filter(([key]) => key !== 'value')
  return new Set(entries.flatMap(([key, item]) => [key, ...keysOf(item)]))
}

describe('what is wrong', () => {
  test('inputs that do not fit end it, as they would end a run', async () => {
    const { code, stdout, stderr } = await plan(['-i', 'hosts=web-01', '-i', 'teem=1'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('"hosts" must be a list')
    expect(stderr).toContain('teem')
  })

  test('arguments that are known to be wrong are listed', async () => {
    const { code, stdout, stderr } = await plan(['-i', 'hosts=["", n1]', ...mode])
    expect(code).toBe(2)
    expect(stdout).toMatch(/Known to be wrong\n {2}tools\.with\.target_locator {2}must not be empty/)
    expect(stderr).toContain('1 argument is known to be wrong')
    const { problems } = JSON.parse((await plan(['-i', 'hosts=["", n1]', '-o', 'json'])).stdout)
    expect(problems).toMatchObject([{ path: 'tools.with.target_locator' }])
  })

  test('an invalid runbook has findings and no plan', async () => {
    const { code, stdout, stderr } = await plan([], everything.replaceAll('tools/catalog', 'tools/catalgo'))
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('did you mean "monit/tools/catalog"?')
  })
})

test('nothing is sent', async () => {
  const service = await startService()
  const env = { ...service.env(), GITHUB_TOKEN: 'x' }
  expect((await plan(['-i', list(3), ...mode], everything, { env })).code).toBe(0)
  expect(await service.calls()).toEqual([])
})
