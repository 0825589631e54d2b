// What docker-compose.yml stands for, on this machine and without containers: the same server on a real PostgreSQL, with
// the environment, the jobs and the health checks of the file. Needs Go and PostgreSQL; run: npx tsx test/compose/main.ts
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import type { GuardedProgram, ProgramEnd } from '../../src/cli/dev/server/spawn-guarded.ts'
import { measureSteps } from './measure-steps.ts'
import { initializeDatabase, startDatabase, stopDatabase } from './postgresql.ts'
import { check, say } from './say.ts'
import { createStage, isHealthy, type JobEnd, runJob, type Stage } from './stage.ts'
import { configureServer, startServer } from './temporal.ts'

const patienceMs = 60_000

/** Asks until it holds. Answers with how long that took, in milliseconds. Throws when the program for it has ended. */
async function waitFor(
  what: string,
  holds: () => boolean | Promise<boolean>,
  program?: GuardedProgram,
): Promise<number> {
  const began = Date.now()
  let end: ProgramEnd | undefined
  void program?.ended.then((ended) => {
    end = ended
  })
  while (!(await holds())) {
    if (end || Date.now() - began > patienceMs) throw new Error(`in vain: ${what}. ${lastWords(end)}`)
    await sleep(100)
  }
  return Date.now() - began
}

/** A job ends well, or tells why not. */
function checkJob(what: string, { code, output }: JobEnd): void {
  check(what, code === 0, code === 0 ? '' : output)
}

/** The last line that a program wrote; the server puts the way through its source behind it. */
function lastWords(end: ProgramEnd | undefined): string {
  return end?.output.split('\n').at(-1)?.slice(0, 500) ?? ''
}

async function main(stage: Stage): Promise<void> {
  const { programs, ports } = stage
  const namespace = stage.environment('namespace')['TEMPORAL_NAMESPACE'] ?? ''
  const temporal = (...words: readonly string[]): string => {
    const env = { ...stage.environment('namespace') }
    const { stdout, stderr, status } = spawnSync(join(programs.folder, 'temporal'), words, {
      env,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`temporal ${words.join(' ')}: ${stderr}`)
    return stdout
  }

  initializeDatabase(stage)
  await configureServer(stage)

  const early = await startServer(stage)
  check('the server ends without its database, so it has to be restarted', (await early.ended).exitCode !== 0)

  let database = await startDatabase(stage)
  say(
    `       PostgreSQL is healthy after ${await waitFor('PostgreSQL', () => isHealthy(stage, 'postgresql'), database)} ms`,
  )
  const version = spawnSync(join(programs.postgresql, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout
  check(
    'PostgreSQL is of the version of the file',
    version.includes(`) ${stage.service('postgresql').image.split(':')[1]}.`),
    version,
  )

  const refused = runJob(stage, 'schema', { SQL_PASSWORD: 'with "quotes"' })
  check(
    'the schema job refuses a password that the server cannot be told',
    refused.code !== 0,
    refused.output,
  )
  checkJob('the schema job ends well', runJob(stage, 'schema'))
  checkJob('the schema job can be repeated', runJob(stage, 'schema'))

  const config = stage.environment('temporal')['DYNAMIC_CONFIG_FILE_PATH'] ?? ''
  const dynamic = spawnSync(join(programs.folder, 'temporal-server'), ['validate-dynamic-config', config], {
    encoding: 'utf8',
  })
  check(
    'the server knows all of its dynamic configuration',
    dynamic.status === 0 && !/warning|error/.test(dynamic.stdout),
    dynamic.stdout,
  )

  let server = await startServer(stage)
  say(
    `       the server is healthy after ${await waitFor('the server', () => isHealthy(stage, 'temporal'), server)} ms`,
  )
  checkJob('the namespace job ends well', runJob(stage, 'namespace'))
  checkJob('the namespace job can be repeated', runJob(stage, 'namespace'))
  check('cluster health', temporal('operator', 'cluster', 'health').includes('SERVING'))
  const described = temporal('operator', 'namespace', 'describe', '--namespace', namespace)
  const retention = stage.environment('namespace')['RETENTION'] ?? ''
  check(
    'the namespace has its retention',
    described.includes(retention),
    /.*Retention.*/.exec(described)?.[0],
  )
  const attributes = temporal('operator', 'search-attribute', 'list', '--namespace', namespace)
  for (const pair of (stage.environment('namespace')['SEARCH_ATTRIBUTES'] ?? '').split(' ')) {
    const [name = '', kind = ''] = pair.split('=')
    check(`the search attribute ${name}`, new RegExp(`${name}\\s+${kind}\\b`).test(attributes), kind)
  }
  const changed = runJob(stage, 'namespace', { RETENTION: '48h' })
  const shorter = temporal('operator', 'namespace', 'describe', '--namespace', namespace)
  check('a retention that was changed is taken over', changed.code === 0 && shorter.includes('48h0m0s'))
  const metrics = await (await fetch(`http://127.0.0.1:${ports.metrics}/metrics`)).text()
  check('metrics for Prometheus', metrics.includes('service_requests'), `${metrics.split('\n').length} lines`)

  const connection = await Connection.connect({ address: `127.0.0.1:${ports.temporal}` })
  const { workflow } = new Client({ connection, namespace })
  const start = (workflowId: string): Promise<unknown> =>
    workflow.start('anything', {
      workflowId,
      taskQueue: 'nobody',
      searchAttributes: { OpsbookRunbook: ['a_runbook'], OpsbookLabels: ['a=1', 'b=2'] },
    })
  const isRunning = async (id: string): Promise<boolean> =>
    (await workflow.getHandle(id).describe()).status.name === 'RUNNING'
  const found = async (): Promise<number> =>
    (await workflow.count("OpsbookRunbook = 'a_runbook' AND OpsbookLabels = 'a=1'")).count
  await start('first')
  check('a workflow is started and described', await isRunning('first'))
  say(
    `       it is found by its search attributes after ${await waitFor('the search', async () => (await found()) === 1)} ms`,
  )

  const { stepMs, napMs } = await measureSteps(workflow, `127.0.0.1:${ports.temporal}`, namespace)
  say(`       a step takes ${stepMs.toFixed(1)} ms, a nap of 20 ms takes ${napMs.toFixed(1)} ms`)
  // With the defaults of the server, a nap takes about a second.
  check('the dynamic configuration is in effect', napMs < 500)

  say(`       the server is stopped in ${await stopServer(server)} ms`)
  server = await startServer(stage)
  say(
    `       and healthy again after ${await waitFor('the server', () => isHealthy(stage, 'temporal'), server)} ms`,
  )
  await waitFor('the workflow of before', () => isRunning('first').catch(() => false))
  check('what was known is known after a restart of the server', (await found()) === 1)

  await stopDatabase(database)
  check('the database is away, and its health check says so', !isHealthy(stage, 'postgresql'))
  check('the server lives on, and its health check says that all is well', isHealthy(stage, 'temporal'))
  const asked = spawnSync(
    join(programs.folder, 'temporal'),
    ['operator', 'namespace', 'describe', '-n', namespace],
    {
      env: stage.environment('namespace'),
    },
  )
  check('whoever asks for the namespace learns that it is not', asked.status !== 0)
  database = await startDatabase(stage)
  await waitFor('PostgreSQL', () => isHealthy(stage, 'postgresql'))
  const again = await waitFor('a start', () =>
    start('second').then(
      () => true,
      () => false,
    ),
  )
  say(`       ${again} ms after the database is back, a workflow can be started`)
  check('both workflows are there', (await isRunning('first')) && (await isRunning('second')))
  const rows = temporal('workflow', 'count', '--query', "OpsbookRunbook = 'a_runbook'")
  say(`       ${rows.trim()}`)
  await connection.close()
  say(`       the server is stopped in ${await stopServer(server)} ms`)
  await stopDatabase(database)
}

/** As Compose stops it. Answers with how long it took, in milliseconds. */
async function stopServer(server: GuardedProgram): Promise<number> {
  const began = Date.now()
  process.kill(server.processId, 'SIGTERM')
  await server.ended
  return Date.now() - began
}

const stage = await createStage()
try {
  await main(stage)
  say('all is well')
} finally {
  stage.remove()
}
