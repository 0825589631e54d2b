import { expect, test } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

const runbook = `apiVersion: opsbook/v1
name: loop
steps:
  - id: sweep
    for-each: { items: [web-01, nosuch], as: host, tolerate: all }
    steps:
      - { id: catalog, uses: monit/tools/catalog, with: { target_locator: "\${{ host }}" } }
      - id: invoke
        uses: monit/tools/invoke
        with: { target_locator: "\${{ host }}", tools: [{ tool: os.overview }, { tool: os.top_processes }] }
`

/** Runs it, and shows each of these steps. */
async function show(steps: readonly string[], ...more: readonly string[]) {
  const folder = await newFolder({ 'loop.yaml': runbook })
  expect((await opsbook(['run', 'loop.yaml', '--sandbox', '--data-dir', 'data'], { folder })).code).toBe(0)
  return Promise.all(
    steps.map((step) => opsbook(['show', 'latest', step, '--data-dir', 'data', ...more], { folder })),
  )
}

test('a call shows what it was sent, a read too, and all that it answered', async () => {
  const [shown] = await show(['sweep[0]/invoke'])
  const { code, stdout = '' } = shown ?? {}
  expect(code).toBe(0)
  expect(stdout).toMatch(/^sweep\[0\]\/invoke {2}succeeded {2}of loop, run_/)
  expect(stdout).toMatch(/sent\n +target_locator: web-01\n +tools:\n +- tool: os.overview/)
  expect(stdout).toMatch(/answered\n[\s\S]+os.top_processes[\s\S]+error: null/)
  expect(stdout).not.toContain('more lines')
  expect(stdout).not.toContain('catalog')
})

test('a failure comes before what was sent, with what to do next and its request', async () => {
  const [shown] = await show(['sweep[1]'])
  const { stdout = '' } = shown ?? {}
  expect(stdout).toMatch(
    /catalog \(nosuch\) {2}attempt 1[\s\S]+request\s+\w{32}[\s\S]+target_unavailable: no agent[\s\S]+next {2}[\s\S]+sent\n +target_locator: nosuch/,
  )
  expect(stdout).not.toContain('web-01')
})

test('as JSON, the attempts and the steps are those of the step', async () => {
  const document = JSON.parse(String((await show(['sweep[1]'], '--output', 'json'))[0]?.stdout))
  expect(document.attempts).toMatchObject([
    {
      path: 'sweep[1]/catalog',
      sent: { input: { target_locator: 'nosuch' }, is_read: true },
      status: 'failed',
    },
  ])
})

test('a step inside of a loop without positions is shown in each of its items', async () => {
  const document = JSON.parse(String((await show(['sweep/catalog'], '--output', 'json'))[0]?.stdout))
  const paths = document.attempts.map(({ path }: { readonly path: string }) => path)
  expect(paths).toEqual(['sweep[0]/catalog', 'sweep[1]/catalog'])
})

test('a step that is not there is refused, and the nearest one is named', async () => {
  const refused = await show(['sweep[1]/invoke', 'sweep[7]', 'swep', 'sweep/nope', 'sweep[0]/invoke[1]'])
  for (const { code, stdout } of refused) expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(refused.map(({ stderr }) => stderr.replace(/run_\w+/, 'RUN'))).toEqual([
    'error: sweep[1]/invoke (nosuch) was not begun in RUN\n  did you mean "sweep[0]/invoke"?\n',
    'error: sweep[7] was not begun in RUN\n  did you mean "sweep[0]"?\n',
    'error: RUN has no step swep\n  did you mean "sweep"?\n',
    expect.stringMatching(/^error: RUN has no step sweep\/nope\n/),
    'error: sweep[0]/invoke[1] is no item of a loop: a batch is sent in groups\n  its calls: sweep[0]/invoke/group-1\n',
  ])
})

test('what a batch tolerates inside of a loop is told by the run, its items, its log and its document', async () => {
  const flaky = runbook
    .replace('nosuch', 'flaky-01')
    .replace('tool: os.top_processes', 'tool: mysql.overview')
  const folder = await newFolder({
    'loop.yaml': `${flaky}        tolerate: all\n        retry: { attempts: 2, delay: 10ms }\n`,
  })
  const run = await opsbook(['run', 'loop.yaml', '--sandbox', '--data-dir', 'data'], { folder })
  expect(run.stdout).toContain('sweep  block  succeeded')
  expect(run.stdout).toContain('tolerated failures inside')
  expect(run.stdout).toContain(
    '\ntolerated: sweep[1]/invoke (flaky-01): mysql.overview: target_unreachable: connect ',
  )
  expect(run.stderr).toContain('sweep[1]/invoke (flaky-01): succeeded')
  expect(run.stderr).toMatch(/flaky-01\): succeeded .*, 1 of 2 items failed\n/)
  const shown = await opsbook(['show', 'latest', '--full', '--output', 'json', '--data-dir', 'data'], {
    folder,
  })
  const failed = { total: 2, failed: 1, kinds: [{ item: 'mysql.overview', index: 1, count: 1 }] }
  expect(JSON.parse(shown.stdout)).toMatchObject({
    warnings: [{ path: 'sweep[1]/invoke', failed_items: { count: 1, name: 'mysql.overview' } }],
    steps: expect.arrayContaining([
      expect.objectContaining({
        path: 'sweep[1]/invoke',
        failed_items: expect.objectContaining({ failed: 1 }),
      }),
    ]),
  })
  expect(JSON.parse(shown.stdout).steps.at(-1).failed_items).toMatchObject(failed)
  const lines = await opsbook(['run', 'loop.yaml', '--sandbox', '--data-dir', 'data', '-o', 'ndjson'], {
    folder,
  })
  expect(lines.stdout).toContain(
    '"reason":"retry","message":"2 of 2 failed (internal: os.overview, mysql.overview)"',
  )
  const graph = await opsbook(['graph', '--run', 'latest', '--format', 'json', '--data-dir', 'data'], {
    folder,
  })
  expect(graph.stdout).toContain('"tolerated": 1')
})

test('a batch over its limit in a loop that tolerates it names the tools, with those that other items tolerate', async () => {
  const tools = runbook.replace('[web-01, nosuch]', '[web-01, node-1, node-2]')
  const folder = await newFolder({
    'loop.yaml': tools
      .replace('{ tool: os.top_processes }', '{ tool: mysql.overview }, { tool: no.such }')
      .concat('        tolerate: 1\n'),
  })
  const run = await opsbook(['run', 'loop.yaml', '--sandbox', '--data-dir', 'data'], { folder })
  expect(run.stdout).toContain(
    '\ntolerated: sweep/invoke: no.such: unknown_tool (3) in sweep[0] (web-01), sweep[1] (node-1), sweep[2] (node-2): there is no tool',
  )
  expect(run.stdout).toContain(
    '\ntolerated: sweep/invoke: mysql.overview: target_unreachable (2) in sweep[1] (node-1), sweep[2] (node-2): connect',
  )
  expect(run.stderr).toContain(
    'TooManyFailures: 2 of 3 failed (target_unreachable: mysql.overview; unknown_tool: no.such), 1 allowed\n',
  )
  const { stdout } = await opsbook(['show', 'latest', '-o', 'json', '--data-dir', 'data'], { folder })
  expect(JSON.parse(stdout)).toMatchObject({
    warnings: [
      { path: 'sweep[0]/invoke', item: 'web-01', failed_items: { name: 'no.such', count: 3 } },
      { path: 'sweep[1]/invoke', item: 'node-1', failed_items: { name: 'mysql.overview', count: 2 } },
    ],
  })
})

test('logs shows a step, the last lines and those since a time, and show what did not succeed', async () => {
  const folder = await newFolder({ 'loop.yaml': runbook })
  const command = async (...words: readonly string[]) => opsbook([...words, '--data-dir', 'data'], { folder })
  await command('run', 'loop.yaml', '--sandbox')
  const linesOf = async (...words: readonly string[]) =>
    (await command('logs', 'latest', ...words)).stdout.split('\n').filter((line) => line !== '')
  const all = await linesOf()
  const ofItem = all.filter((line) => line.includes('sweep[1]'))
  expect(ofItem.length).toBeGreaterThan(1)
  expect(await linesOf('--step', 'sweep[1]')).toEqual(ofItem)
  expect(await linesOf('--tail', '2')).toEqual(all.slice(-2))
  expect(await linesOf('--follow', '--tail', '2')).toEqual(all.slice(-2))
  expect(await linesOf('--since', '1h', '--step', 'sweep[1]/catalog')).toEqual(ofItem.slice(0, 3))
  expect(await linesOf('--since', '2099-01-01')).toEqual([])
  expect(await command('logs', 'latest', '--step', 'swep')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean "sweep"?'),
  })
  const failed = JSON.parse((await command('show', 'latest', '--failed', '-o', 'json')).stdout)
  expect(failed).toMatchObject({
    steps: [{ path: 'sweep' }, { path: 'sweep[1]/catalog' }],
    attempts: [{ path: 'sweep[1]/catalog', status: 'failed' }],
  })
  expect((await command('show', 'latest', '--failed')).stdout).toMatch(
    /✖ sweep\[1\]\/catalog \(nosuch\) [\s\S]+attempt 1 .*failed[\s\S]+sent\n +target_locator: nosuch/,
  )
})

test('what did not succeed has the calls with failed items, and names these items', async () => {
  const partly = runbook
    .replace('[web-01, nosuch]', '[web-01, disk-01]')
    .replace('{ tool: os.top_processes }', '{ tool: no.such }')
    .replace(
      ' } }\n      - id: invoke',
      ' } }\n      - id: invoke\n        if: ${{ host == "disk-01" }}\n        tolerate: all',
    )
  const folder = await newFolder({ 'loop.yaml': partly })
  const command = async (...words: readonly string[]) => opsbook([...words, '--data-dir', 'data'], { folder })
  await command('run', 'loop.yaml', '--sandbox')
  const { stdout } = await command('show', 'latest', '--failed')
  expect(stdout).toMatch(
    /Journal[\s\S]+✔ sweep\[1\]\/invoke\/group-1 \(disk-01\)[\s\S]+! sweep\[1\]\/invoke \(disk-01\) {2}1 of 2 items failed\n +no.such: unknown_tool: there is no tool/,
  )
  expect(stdout).not.toContain('catalog')
  const { steps, attempts } = JSON.parse((await command('show', 'latest', '--failed', '-o', 'json')).stdout)
  expect(steps).toMatchObject([{ path: 'sweep' }, { path: 'sweep[1]/invoke', failed_items: { failed: 1 } }])
  expect(attempts).toMatchObject([{ path: 'sweep[1]/invoke/group-1', status: 'succeeded' }])
})

test('a loop is shown by item, and one of many lines names the way to the rest', async () => {
  const many = runbook.replace(
    '[web-01, nosuch], as: host',
    '[web-01, web-01, web-01, web-01], as: host, max-parallel: 4',
  )
  const folder = await newFolder({ 'loop.yaml': many })
  await opsbook(['run', 'loop.yaml', '--sandbox', '--data-dir', 'data'], { folder })
  const { stdout } = await opsbook(['show', 'latest', 'sweep', '--data-dir', 'data'], { folder })
  const items = [...stdout.matchAll(/ ✔ sweep\[(\d)\]/g)].map(([, item]) => item)
  expect(items.slice(0, 3)).toEqual(['0', '0', '1'])
  expect(stdout).toMatch(/\n… \d more; "opsbook show run_\w+ 'sweep\[\d\]\/\w+' --data-dir data"\s/)
})

test('one step, too, masks a sensitive input from before a resume', async () => {
  const folder = await newFolder({
    'say.yaml': `apiVersion: opsbook/v1
name: say
inputs: { type: object, required: [word], properties: { word: { type: string, writeOnly: true } } }
steps:
  - { id: say, uses: core/log, with: { message: hello } }
  - { id: ask, uses: monit/tools/catalog, with: { target_locator: "\${{ inputs.word }}" } }
`,
  })
  const command = async (...words: readonly string[]) => opsbook([...words, '--data-dir', 'data'], { folder })
  await command('run', 'say.yaml', '--sandbox', '--input', 'word=first-canary')
  await command('resume', 'latest', '--sandbox', '--input', 'word=second-canary', '--yes')
  const { stdout } = await command('show', 'latest', 'ask')
  expect(stdout.match(/attempt 1/g)).toHaveLength(2)
  expect(stdout).not.toContain('canary')
})
