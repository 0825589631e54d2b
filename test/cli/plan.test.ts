import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'
import { startService } from './support/service.ts'

const hosts = `apiVersion: opsbook/v1
name: hosts
title: Look at hosts
inputs:
  type: object
  required: [hosts]
  additionalProperties: false
  properties:
    hosts: { type: array, items: { type: string } }
    session_id: { type: string }
    team_id: { type: integer, default: 1 }
secrets: [agent_token]
timeout: 30m
concurrency: { key: "\${{ inputs.team_id }}", on-conflict: skip }
steps:
  - id: everywhere
    name: Ask the metrics of every host
    for-each: { items: "\${{ inputs.hosts }}", as: host, max-parallel: 4, tolerate: 10% }
    uses: monit/preview/sync
    with: { ds_type: prometheus, ds_name: prom-main, expr: "up{host='\${{ host }}'}" }
  - id: tools
    uses: monit/tools/catalog
    with: { target_locator: "\${{ inputs.hosts[0] }}" }
  - id: checks
    uses: monit/tools/invoke
    with:
      target_locator: web-01
      tools: "\${{ steps.tools.outputs.tools.map(t, {'tool': t.name}) }}"
    retry: { attempts: 4, errors: [overloaded, timeout], when: "\${{ error.message != 'gone' }}" }
    tolerate: 25%
  - id: ask
    if: \${{ steps.checks.outputs.failed > 0 && has(inputs.session_id) }}
    uses: core/approve
    with: { message: "\${{ steps.checks.outputs.failed }} checks failed. Go on?" }
  - id: agent
    if: \${{ steps.checks.outputs.failed == 0 }}
    uses: safari/a2a-agent/create
    with:
      agent_name: helper
      instructions: Helps.
      card_url: https://agents.example.com/card.json
      team_id: \${{ inputs.team_id }}
      auth_config: { token: "\${{ secrets.agent_token }}" }
    catch:
      - errors: [AccessDenied]
        when: \${{ error.message.contains('permission') && inputs.hosts.size() > 3 }}
        then: fail
        steps:
          - { id: refused, uses: core/log, with: { message: "\${{ error.message }}" } }
finally:
  - id: report
    uses: core/write
    with: { content: "\${{ inputs.hosts.join(', ') }}" }
    save-as: report.md
`

const branches = `apiVersion: opsbook/v1
name: branches
inputs: { type: object, required: [mode], properties: { mode: { enum: [fast, slow, none] } } }
steps:
  - id: tools
    uses: monit/tools/catalog
    with: { target_locator: web-01 }
  - id: pages
    repeat:
      with: { rule: first }
      next: { rule: "\${{ json(steps.page.outputs) }}" }
      until: \${{ next.rule == '' }}
      at-most: 100
      interval: 5s
    steps:
      - { id: page, uses: rum/error-ingestion/rules/list, with: { application_id: "\${{ turn.rule }}" } }
  - id: by_mode
    choose:
      - { when: "\${{ inputs.mode == 'none' }}", steps: [{ id: nothing, uses: core/log, with: { message: nothing } }] }
      - { when: "\${{ inputs.mode == 'fast' }}", steps: [{ id: fast, uses: core/log, with: { message: fast } }] }
      - { steps: [{ id: slow, uses: core/log, with: { message: slow } }] }
  - id: by_tools
    choose:
      - when: \${{ size(steps.tools.outputs.tools) > 5 }}
        steps: [{ id: many, uses: monit/tools/catalog, with: { target_locator: web-01 } }]
      - { steps: [] }
  - id: by_name
    choose: [{ when: "\${{ run.name == 'other' }}", steps: [{ id: other, uses: core/log, with: { message: x } }] }]
`

const settings = `apiVersion: opsbook/v1
name: settings
inputs: { type: object, required: [n], properties: { n: { type: integer } } }
steps:
  - { id: each, for-each: { items: [1, 2], max-parallel: "\${{ inputs.n }}" }, uses: core/log, with: { message: x } }
  - { id: both, max-parallel: "\${{ inputs.n }}", parallel: [{ id: a, uses: core/log, with: { message: x } }, { id: b, uses: core/log, with: { message: x } }] }
  - id: rounds
    repeat: { until: "\${{ turn.index == 1 }}", at-most: 2, interval: "\${{ inputs.n }}m" }
    steps: [{ id: round, uses: core/log, with: { message: x } }]
  - id: poll
    uses: monit/tools/catalog
    with: { target_locator: web-01 }
    retry: { attempts: "\${{ inputs.n }}" }
    repeat: { until: "\${{ outputs.tools != [] }}", interval: "\${{ inputs.n }}s", max-wait: "\${{ inputs.n }}h" }
`

/** Requests over a connection with limits, a command with a script, and a branch alone. */
const requests = `apiVersion: opsbook/v1
name: requests
inputs: { type: object, required: [repo], properties: { repo: { type: string } } }
secrets: [client, key]
defaults: { connection: github }
steps:
  - id: token
    uses: core/http
    with: { method: POST, path: /token, safety: idempotent, form: { grant: code, key: { secret: client } } }
  - id: look
    uses: core/http
    with: { path: "/repos/\${{ inputs.repo }}/runs", query: { status: completed } }
  - id: later
    uses: core/http
    with: { path: "/runs/\${{ steps.look.outputs.body.id }}" }
  - id: there
    uses: core/command
    with:
      on: { ssh: root@web-01.prod.example, key: { secret: key } }
      safety: read
      script: |
        set -e
        uptime
  - id: alone
    parallel: [{ id: one, uses: core/log, with: { message: hi } }]
`
const github = `connections:
  github: { type: http, base-url: "https://api.github.example", auth: { type: bearer, token: env:GITHUB_TOKEN }, limits: { per-minute: 80 } }
commands: { ssh: ["*.prod.example"] }
`

function list(count: number): string {
  return `hosts=[${Array.from({ length: count }, (_, index) => `n${index}`).join(', ')}]`
}

async function plan(words: readonly string[], runbook = hosts, columns?: number): ReturnType<typeof opsbook> {
  const folder = await newFolder({ 'hosts.yaml': runbook })
  return opsbook(['plan', 'hosts.yaml', ...words], { folder, ...(columns === undefined ? {} : { columns }) })
}

describe('as text', () => {
  test('every step with what is known, and what they come to', async () => {
    const { code, stdout, stderr } = await plan(['-i', list(130), '-i', 'session_id=sess_short'], hosts, 80)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(readFileSync(new URL('plan.golden.txt', import.meta.url), 'utf8'))
  })

  test('turns and branches', async () => {
    const { code, stdout } = await plan(['-i', 'mode=fast'], branches, 80)
    expect(code).toBe(0)
    expect(stdout).toBe(readFileSync(new URL('plan-branches.golden.txt', import.meta.url), 'utf8'))
  })

  test('requests over a connection, a script, and a branch alone', async () => {
    const folder = await newFolder({ 'hosts.yaml': requests, 'opsbook.yaml': github })
    const { code, stdout, stderr } = await opsbook(['plan', 'hosts.yaml', '-i', 'repo=a/b'], {
      folder,
      columns: 80,
      env: { GITHUB_TOKEN: 'x' },
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(readFileSync(new URL('plan-requests.golden.txt', import.meta.url), 'utf8'))
  })

  test('numbers that the inputs decide, and the expression where an input is missing', async () => {
    const { stdout } = await plan(['-i', 'n=3'], settings)
    expect(stdout).toContain('item of 2 items, 3 at a time\n')
    expect(stdout).toContain('2 branches · 3 at a time\n')
    expect(stdout).toContain('1 or 2 turns, 3m between them\n')
    expect(stdout).toContain('every 3s, for 3h at most\n')
    expect(stdout).toContain('up to 3, at most')
    const open = (await plan([], settings)).stdout
    expect(open).toContain('item of 2 items, ${{ inputs.n }} at a time\n')
    expect(open).toContain('2 branches · ${{ inputs.n }} at a time\n')
    expect(open).toContain('1 or 2 turns, ${{ inputs.n }}m between them\n')
    expect(open).toContain('every ${{ inputs.n }}s, for ${{ inputs.n }}h at most\n')
    expect(open).toContain('up to ${{ inputs.n }}, at most')
    const document = JSON.parse((await plan(['-o', 'json'], settings)).stdout)
    const source = '${{ inputs.n }}'
    expect(document.steps).toMatchObject([
      { for_each: { max_parallel: { source } } },
      { max_parallel: { source } },
      { repeat: { interval_ms: { source: `${source}m` } } },
      { uses: { retry: { attempts: { source } }, repeat: { max_wait_ms: { source: `${source}h` } } } },
    ])
    const wrong = await plan(['-i', 'n=0'], settings)
    expect(wrong.stdout).toContain(
      'steps[0].for-each.max-parallel  ${{ inputs.n }} comes to 0, and must be a whole number from 1 to 500\n',
    )
  })

  test('fits a terminal of 80 columns', async () => {
    const { stdout } = await plan(['-i', list(130), '-i', `session_id=${'x'.repeat(200)}`], hosts, 80)
    expect(Math.max(...stdout.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(80)
  })

  test('cuts no value where it goes to a file or a pipe', async () => {
    const { stdout } = await plan(['-i', list(130), '-i', `session_id=${'x'.repeat(200)}`])
    expect(stdout).toContain('"n128","n129"]\n')
    expect(stdout).toContain('x'.repeat(200))
  })

  test('a runbook that is run is shown inside its step', async () => {
    const parent = [
      'apiVersion: opsbook/v1',
      'name: parent',
      'steps:',
      '  - { id: all, uses: core/run, with: { runbook: ./hosts.yaml, inputs: { hosts: [a, b] } } }',
    ].join('\n')
    const folder = await newFolder({ 'hosts.yaml': hosts, 'parent.yaml': parent })
    const { code, stdout } = await opsbook(['plan', 'parent.yaml'], { folder })
    expect(code).toBe(0)
    expect(stdout).toMatch(/· all\n +runs +core\/run · 4 calls or more\n/)
    expect(stdout).toMatch(
      /· everywhere {2}Ask the metrics of every host\n +reads +monit\/preview\/sync · 2 calls\n/,
    )
    expect(stdout).toContain('secrets        agent_token, read by all/agent')
    const broken = await newFolder({
      'hosts.yaml': hosts.replace('monit/tools/catalog', 'nothing'),
      'parent.yaml': parent,
    })
    const { code: refused, stderr } = await opsbook(['plan', 'parent.yaml'], { folder: broken })
    expect(refused).toBe(2)
    expect(stderr).toContain('hosts.yaml:22:11 error UNKNOWN_ACTION')
  })

  test('a required input that is not given leaves open what depends on it', async () => {
    const { code, stdout } = await plan([])
    expect(code).toBe(0)
    expect(stdout).toContain('hosts       not given: required, list of text')
    expect(stdout).toContain('session_id  not given: optional')
    expect(stdout).toContain('team_id     1  (default)')
    expect(stdout).toContain('monit/preview/sync · 1 call for each item')
    expect(stdout).toMatch(/target_locator +needs inputs\.hosts/)
    expect(stdout).toMatch(/– ask\n +if +steps\.checks.*\n +→ false: it is skipped/)
  })

  test('the attempts of an action that is not loaded, whose time limit is not known', async () => {
    const folder = await newFolder({
      'opsbook.yaml': 'actions: [./a.mjs]\n',
      'a.yaml':
        'apiVersion: opsbook/v1\nname: a\nsteps:\n' +
        '  - { id: a, uses: acme/close, retry: { attempts: 3, errors: [TicketsClosed] } }\n',
    })
    const { stdout } = await opsbook(['plan', 'a.yaml'], { folder })
    expect(stdout).toContain('attempts  up to 3, on TicketsClosed')
  })

  test('the calls of each account are counted together, whatever the connection is called', async () => {
    const [first = ''] = hosts.slice(hosts.indexOf('  - id: everywhere')).split('  - id: tools')
    const again = first
      .replace('id: everywhere', 'id: again')
      .replace('uses:', 'connection: other\n    uses:')
    const runbook = hosts.replace('  - id: tools', `${again}  - id: tools`)
    const folder = await newFolder({ 'hosts.yaml': runbook })
    const time = async (...flags: readonly string[]): Promise<string | undefined> => {
      const { stdout } = await opsbook(['plan', 'hosts.yaml', '-i', list(40), ...flags], { folder })
      return /shortest time +(.*?),/.exec(stdout)?.[1]
    }
    expect(await time()).toBe('at least 6.0s')
    // Whatever a step names, it is the one sandbox.
    expect(await time('--sandbox')).toBe('at least 1m 01s')
    const connection = (name: string, account: string): string =>
      `  ${name}: { base-url: "https://api.example.com", app-key: "env:KEY_${name}", account: ${account} }\n`
    writeFileSync(
      `${folder}/opsbook.yaml`,
      `connections:\n${connection('default', 'one')}${connection('other', 'one')}`,
    )
    expect(await time()).toBe('at least 1m 01s')
  })
})

describe('as a document', () => {
  test('says the same', async () => {
    const words = ['-i', list(3), '-i', 'session_id=sess_short', '-o', 'json']
    const { code, stdout } = await plan(words)
    expect(code).toBe(0)
    const document = JSON.parse(stdout)
    expect(document).toMatchObject({
      version: 1,
      runbook: 'hosts',
      inputs: [
        { name: 'hosts', required: true, state: 'given', value: ['n0', 'n1', 'n2'] },
        { name: 'session_id', required: false, state: 'given' },
        { name: 'team_id', state: 'default', value: 1 },
      ],
      timeout_ms: 1_800_000,
      concurrency: { key: { state: 'known', value: 1 }, on_conflict: 'skip' },
      steps: [
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
      ],
      finally: [{ path: 'report', uses: { save_as: { state: 'known', value: 'report.md' } } }],
      totals: {
        calls: { least: 5, most: null },
        calls_by_risk: { create: { least: 0, most: 1 }, idempotent: { least: 0, most: 0 } },
        approvals: [{ path: 'ask', certain: false }],
        secrets: [{ name: 'agent_token', steps: ['agent'] }],
      },
      problems: [],
    })
  })

  test('has no field that the documentation does not have', async () => {
    const everyKey = fileURLToPath(new URL('../load/editor-schema/every-key.yaml', import.meta.url))
    const words = ['-i', 'host=web-01', '-o', 'json']
    const documents = [
      JSON.parse((await opsbook(['plan', everyKey, ...words])).stdout),
      JSON.parse((await plan(['-i', 'hosts=["", n1]', '-o', 'json'])).stdout),
      JSON.parse((await plan(['-o', 'json'])).stdout),
    ]
    const page = readFileSync(new URL('../../docs/plan.md', import.meta.url), 'utf8')
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

  test('arguments that are known to be wrong are listed, item by item', async () => {
    const { code, stdout, stderr } = await plan(['-i', 'hosts=["", n1]'])
    expect(code).toBe(2)
    expect(stdout).toMatch(/Known to be wrong\n {2}tools\.with\.target_locator {2}must not be empty/)
    expect(stderr).toContain('1 argument is known to be wrong')
    const { problems } = JSON.parse((await plan(['-i', 'hosts=["", n1]', '-o', 'json'])).stdout)
    expect(problems).toMatchObject([{ path: 'tools.with.target_locator' }])
  })

  test('an invalid runbook has findings and no plan', async () => {
    const { code, stdout, stderr } = await plan(
      [],
      hosts.replace('monit/tools/catalog', 'monit/tools/catalgo'),
    )
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('did you mean "monit/tools/catalog"?')
  })
})

test('nothing is sent', async () => {
  const service = await startService()
  const folder = await newFolder({ 'hosts.yaml': hosts })
  const { code } = await opsbook(['plan', 'hosts.yaml', '-i', list(3)], { folder, env: service.env() })
  expect(code).toBe(0)
  expect(await service.calls()).toEqual([])
})

describe('what starts a runbook by itself', () => {
  const runbook = `apiVersion: opsbook/v1
name: nightly
inputs: { type: object, properties: { host: { type: string } } }
triggers:
  - type: incident
    where: \${{ event.incident.severity == 'Critical' }}
    dedupe-key: \${{ event.incident.id }}
    cooldown: { key: "\${{ event.incident.labels.host }}", for: 15m }
    with: { host: "\${{ event.incident.labels.host }}" }
  - type: schedule
    cron: "0 8 * * 1-5"
    timezone: Europe/Berlin
    start-at: "2099-06-30T00:00:00Z"
    jitter: 30s
    catch-up: 10m
    with: { host: web-01 }
  - { type: schedule, every: 6h, start-at: "2020-01-01T00:00:00Z", end-at: "2020-01-02T00:00:00Z", overlap: allow-all }
steps:
  - { id: a, uses: core/log, with: { message: hi } }
`

  test('is shown with the next times on the clocks of the zone', async () => {
    const folder = await newFolder({ 'nightly.yaml': runbook })
    const { code, stdout } = await opsbook(['plan', 'nightly.yaml'], { folder })
    expect(code).toBe(0)
    const shown = stdout.slice(stdout.indexOf('Automatic starts'), stdout.indexOf('Steps\n'))
    expect(shown.trimEnd().split('\n')).toEqual([
      'Automatic starts',
      '',
      '  incident  of any hook',
      "  if        event.incident.severity == 'Critical'",
      '  once      for each event.incident.id',
      '  cooldown  15m after each start for each event.incident.labels.host',
      '  at most   20 starts in 10m',
      '  with      host  event.incident.labels.host',
      '',
      '  schedule  0 8 * * 1-5, Europe/Berlin',
      '  next      Tue 2099-06-30 08:00 GMT+2',
      '            Wed 2099-07-01 08:00 GMT+2',
      '            Thu 2099-07-02 08:00 GMT+2',
      '            Fri 2099-07-03 08:00 GMT+2',
      '            Mon 2099-07-06 08:00 GMT+2',
      '            up to 30s later, at random',
      '  missed    started late, for up to 10m',
      '  overlap   no start while the last run continues',
      '  with      host  web-01',
      '',
      '  schedule  every 6h',
      '  next      never again',
      '  missed    started late, for up to 1m',
      '  overlap   runs may overlap',
    ])
  })

  test('is in the document', async () => {
    const folder = await newFolder({ 'nightly.yaml': runbook })
    const { stdout } = await opsbook(['plan', 'nightly.yaml', '-o', 'json'], { folder })
    expect(JSON.parse(stdout).triggers).toMatchObject([
      {
        type: 'incident',
        where: "event.incident.severity == 'Critical'",
        dedupe_key: { state: 'open', needs: ['event.incident.id'] },
        cooldown: { for_ms: 900_000, key: { state: 'open' } },
        max_starts: { count: 20, per_ms: 600_000 },
        inputs: [{ name: 'host', state: 'open' }],
      },
      {
        type: 'schedule',
        cron: '0 8 * * 1-5',
        timezone: 'Europe/Berlin',
        overlap: 'skip',
        jitter_ms: 30_000,
        catch_up_ms: 600_000,
        start_at: '2099-06-30T00:00:00Z',
        next: expect.arrayContaining(['2099-06-30T06:00:00.000Z', '2099-07-06T06:00:00.000Z']),
        inputs: [{ name: 'host', state: 'known', value: 'web-01' }],
      },
      { type: 'schedule', every_ms: 21_600_000, overlap: 'allow-all', next: [], inputs: [] },
    ])
  })
})
