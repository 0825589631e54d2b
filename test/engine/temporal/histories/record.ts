import { readdirSync, readFileSync } from 'node:fs'
import { createActions, type JsonObject, loadRunbook, type Plan } from 'opsbook'
import { parse } from 'yaml'
import { sendControlRequest } from '../../../../src/engine/temporal/client/control-run.ts'
import type { NoticePort } from '../../../../src/engine/temporal/index.ts'
import { answerUpdate } from '../../../../src/engine/temporal/messages.ts'
import type { RunbookCase } from '../../../runbooks/runbook-case.ts'
import { systemUserNamed } from '../../../support/identity.ts'
import { openStage, type Stage } from '../support/open-stage.ts'
import { type PlayedRunbook, played } from './played.ts'
import { limitHistories, recordLimits } from './record-limits.ts'
import { playLine, playStarts } from './record-starts.ts'
import { writeHistory } from './write-history.ts'

const root = new URL('../../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/** All notifications are sent, and delivered. */
const people: NoticePort = {
  compose: () => [{ id: 'one', target: 'env:CHAT_URL', body: '{}' }],
  send: async () => ({ isDelivered: true }),
}

const actions = createActions([], { commands: { local: true } })

/**
 * Runs what is to be recorded on a server, and writes the history of each workflow into this folder. `isWanted`: of which
 * runbooks, and `starts` for what starts runs by itself. Answers with the names.
 */
export async function recordHistories(
  address: string,
  isWanted: (name: string) => boolean = () => true,
): Promise<readonly string[]> {
  const stage = await openStage(address, actions, { notices: people })
  try {
    const names: string[] = []
    for (const file of readdirSync(new URL('runbooks/', root))
      .filter((file) => !file.endsWith('.test.yaml'))
      .toSorted()) {
      if (!isWanted(file.replace('.yaml', ''))) continue
      const [runbookCase] = parse(read(`test/cases/runbooks/${file}`), {
        merge: true,
      }) as readonly RunbookCase[]
      const plan = compile(read(`runbooks/${file}`))
      // Another system answers it, by activities like any other.
      if (runbookCase?.http) continue
      const inputs = (runbookCase?.inputs ?? {}) as JsonObject
      names.push(...(await record(stage, file.replace('.yaml', ''), plan, { inputs, approve: 'all' })))
    }
    for (const one of played) {
      if (!isWanted(one.name)) continue
      const plan = compile(JSON.stringify({ apiVersion: 'opsbook/v1', name: one.name, ...one.runbook }))
      const { mostEvents } = one
      names.push(
        ...(await record(stage, one.name, plan, mostEvents === undefined ? {} : { mostEvents }, one)),
      )
    }
    if (limitHistories.some(isWanted)) names.push(...(await recordLimits(stage)))
    if (isWanted('starts'))
      for (const { name, workflowId } of await playStarts(stage))
        names.push(writeHistory(name, await stage.client.workflow.getHandle(workflowId).fetchHistory()))
    if (isWanted('line'))
      for (const { name, workflowId } of await playLine(stage))
        names.push(writeHistory(name, await stage.client.workflow.getHandle(workflowId).fetchHistory()))
    return names
  } finally {
    await stage.close()
  }
}

function compile(text: string): Plan {
  const { plan, diagnostics } = loadRunbook(text, actions, {
    readRunbook: (path) => read(`runbooks/${path}`),
  })
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return plan
}

async function record(
  stage: Stage,
  name: string,
  plan: Plan,
  options: Parameters<Stage['start']>[1],
  { said = [] }: Pick<PlayedRunbook, 'said'> = {},
): Promise<readonly string[]> {
  const run = await stage.start(plan, options)
  const handle = stage.client.workflow.getHandle(run.runId)
  const rest = [...said]
  for await (const event of run.events) {
    if (event.type !== 'waiting') continue
    const next = rest[0]
    if (next?.at !== event.path) continue
    rest.shift()
    if (next.control)
      await sendControlRequest(run.runId, stage, {
        kind: next.control,
        by: systemUserNamed('somebody'),
      })
    else {
      const { at: step, approved = true, value } = next
      const given = value === undefined ? { approved } : { approved, value }
      const order = { step, ...given, by: systemUserNamed('somebody') }
      await handle.executeUpdate(answerUpdate, { args: [order] })
    }
  }
  const { status } = await run.result
  if (rest.length > 0) throw new Error(`${name} ended as ${status}, and not all requests could be sent`)
  const names: string[] = []
  let runId: string | undefined
  do {
    const history = await stage.client.workflow.getHandle(run.runId, runId).fetchHistory()
    names.push(writeHistory(`${name}${names.length === 0 ? '' : `-before-${names.length}`}`, history))
    for (const { startChildWorkflowExecutionInitiatedEventAttributes: child } of history.events ?? []) {
      if (!child?.workflowId) continue
      const started = stage.client.workflow.getHandle(child.workflowId)
      await started.result()
      const kind = child.workflowType?.name?.replace('opsbook', '').toLowerCase()
      names.push(writeHistory(`${name}-${kind}-${names.length}`, await started.fetchHistory()))
    }
    runId = history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined
  } while (runId !== undefined)
  return names
}
