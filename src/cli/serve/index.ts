/** `opsbook serve`: receives events over HTTP and starts runs from them, until a signal stops it. */

import { Registry } from 'prom-client'
import type { Action } from '../../actions/index.ts'
import { type People, policyFindings } from '../../core/people/index.ts'
import type { Plan } from '../../core/plan/index.ts'
import { outsideSteps } from '../../core/preview/index.ts'
import { parseDuration } from '../../core/times/index.ts'
import { loadActions } from '../../project/actions/index.ts'
import { chooseDataDir, peopleOf, readRunConfiguration } from '../../project/configuration/index.ts'
import { actionsFor } from '../../project/connections/index.ts'
import { chooseEngine, type EngineKind } from '../../project/engine/index.ts'
import { missingHooks, readHooks } from '../../project/hooks/index.ts'
import { CommandError, usualAddresses } from '../../project/index.ts'
import { loadRunbooks } from '../../project/runbooks/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { evaluateEvent, type TriggeredRunbook } from '../../triggers/evaluate/index.ts'
import { schedulesOf } from '../../triggers/schedules/index.ts'
import {
  type AppOptions,
  type BackgroundWork,
  createApp,
  createDeliveryWatch,
  createHealthApp,
  createWorkCounts,
  openRefusedDeliveries,
} from '../../triggers/server/index.ts'
import type { Hook } from '../../triggers/webhooks/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import { exitCodes } from '../shared/exit-codes.ts'
import { type ListenAddress, listenUrl, readListen } from '../shared/read-listen.ts'
import { untilStopped } from '../shared/stop-signals.ts'
import { type Listener, openListeners, readHealthAddress, refuseOpenHooks } from './listeners.ts'
import { prepareConsole, type ServedConsole } from './open-console.ts'
import { openEmbedded } from './open-embedded.ts'
import type { OpenEngineOptions, ServeEngine, ServeFlags } from './serve-engine.ts'
import { createServeLog } from './serve-log.ts'

/** Serves until a stop signal. A line on stdout reports when it is ready. */
export async function serve(
  context: CommandContext,
  named: readonly string[],
  flags: ServeFlags,
): Promise<void> {
  const address = readListen(flags.listen, usualAddresses.serve)
  const healthAddress = readHealthAddress(flags, address)
  const { kind, hooks, opening } = await prepare(context, named, flags, address)
  const { runbooks, actions, log, metrics, counts, dataDir } = opening
  const console = prepareConsole(context, kind, opening, {
    resume: (id, how) => engine.resume(id, how),
    takeEvent: (event) => engine.events.evaluation(evaluateEvent(event, options)),
  })
  const stopped = untilStopped(context.io, (line) => log.info(line))
  const engine = await openEngine(kind, context, opening)
  const refused = openRefusedDeliveries(dataDir, log.mask.text)
  let isStopping = false
  const deliveries = createDeliveryWatch()
  const options: AppOptions = {
    hooks,
    runbooks,
    actions,
    hostNames: [address.host, ...(healthAddress ? [healthAddress.host] : []), ...(flags.allowHost ?? [])],
    isHealthApart: healthAddress !== undefined,
    mask: log.maskValue,
    callbacks: {
      key: () => engine.callbackKey(),
      hasEnded: engine.events.hasEnded,
      isKnown: async (hook, id) => (await engine.events.readEvent(`${hook}/${id}`)) !== undefined,
    },
    evaluation: engine.events.evaluation,
    isStopping: () => isStopping,
    onAnswer(one) {
      counts.answered(one)
      deliveries.answered(one)
      refused.take(one)
      log.answered(one)
    },
    onFailure: log.failed,
    whyNotReady: async () => (isStopping ? 'serve stops' : (deliveries.problem() ?? engine.whyNotReady())),
    metrics: () => metrics.metrics(),
  }
  const listeners: Listener[] = [
    { flag: '--listen', address, app: createApp(options) },
    ...(healthAddress
      ? [{ flag: '--listen-health', address: healthAddress, app: createHealthApp(options) }]
      : []),
  ]
  const begun: BackgroundWork[] = []
  try {
    // First, so that no run starts if an address is in use.
    const [bound = address, healthBound] = await openListeners(listeners)
    for (const work of [...(console ? [console] : []), ...engine.background]) {
      await work.start()
      begun.push(work)
    }
    printReady(context, flags, { bound, healthBound, console, hooks, runbooks })
    await stopped
    log.info('serve stops: events are refused, runs stop at a safe point')
  } finally {
    isStopping = true
    for (const work of begun.toReversed()) await work.stop()
    for (const { app } of listeners) await app.close()
    await refused.close()
    await engine.close()
    log.info('serve stopped')
  }
  // What has not ended within the grace period would hold the process.
  context.io.exit(exitCodes.succeeded)
}

interface Prepared {
  readonly kind: EngineKind
  readonly hooks: readonly Hook[]
  readonly opening: OpenEngineOptions
}

/** Reads what is served, and warns of what cannot work. */
async function prepare(
  context: CommandContext,
  named: readonly string[],
  flags: ServeFlags,
  address: ListenAddress,
): Promise<Prepared> {
  const graceMs = readGrace(flags.grace)
  const configuration = await readRunConfiguration(context.io)
  const kind = chooseEngine(flags.engine, configuration, context.io)
  const log = await createServeLog(context)
  const { hooks, warnings } = await readHooks(configuration, context.io)
  for (const hook of hooks) for (const secret of hook.auth?.secrets ?? []) log.hide(secret)
  for (const warning of warnings) log.warn(warning)
  refuseOpenHooks(hooks, address)
  const actions = actionsFor(flags, await loadActions(context.io))
  const runbooks = await loadRunbooks(named, actions, context, { sandbox: flags.sandbox === true })
  const unanswered = policyWarnings(
    runbooks.map(({ plan }) => plan),
    peopleOf(configuration.document),
  )
  const missing = missingHooks(
    runbooks,
    hooks.map(({ name }) => name),
  )
  for (const warning of [...missing, ...refusedSteps(runbooks, actions), ...unanswered]) log.warn(warning)
  const metrics = new Registry()
  const dataDir = chooseDataDir(flags.dataDir, configuration, context.io)
  const counts = createWorkCounts(metrics)
  const isEveryRunbook = named.length === 0
  const read = { flags, graceMs, configuration, dataDir, runbooks, isEveryRunbook, actions }
  return { kind, hooks, opening: { ...read, log, metrics, counts } }
}

interface Ready extends Pick<OpenEngineOptions, 'runbooks'>, Pick<Prepared, 'hooks'> {
  readonly bound: ListenAddress
  readonly healthBound: ListenAddress | undefined
  readonly console: ServedConsole | undefined
}

function printReady(
  context: CommandContext,
  { output }: ServeFlags,
  { bound, healthBound, console, hooks, runbooks }: Ready,
): void {
  const names = hooks.map(({ name }) => name)
  const url = listenUrl(bound)
  const healthUrl = healthBound && listenUrl(healthBound)
  if (output === 'json')
    answerJson(context, {
      url,
      ...(healthUrl === undefined ? {} : { health_url: healthUrl }),
      ...(console?.at === undefined ? {} : { console_url: console.at.url }),
      hooks: names,
      runbooks: runbooks.map(({ plan }) => plan.name),
      schedules: scheduleNames(runbooks),
    })
  else
    answer(context, [
      healthUrl === undefined ? `serve ready: ${url}` : `serve ready: ${url}, health at ${healthUrl}`,
      ...servedLines(names, runbooks),
      ...(console?.at === undefined ? [] : [`  console    ${console.at.url}, where ${console.at.wayIn}`]),
    ])
}

async function openEngine(
  kind: EngineKind,
  context: CommandContext,
  opening: OpenEngineOptions,
): Promise<ServeEngine> {
  if (kind === 'embedded') return openEmbedded(context, opening)
  const { openOnTemporal } = await import('./open-on-temporal.ts')
  return openOnTemporal(context, opening)
}

/** How long a stop waits, in milliseconds. */
function readGrace(given: string): number {
  const ms = parseDuration(given)
  if (ms !== undefined) return ms
  throw new CommandError(
    'usage',
    `--grace takes a duration such as 500ms, 30s or 2m, not ${JSON.stringify(given)}`,
  )
}

/** The hooks, runbooks and schedules that `serve` serves, as text. */
function servedLines(hooks: readonly string[], runbooks: readonly TriggeredRunbook[]): readonly string[] {
  const line = (what: string, names: readonly string[]): string =>
    `  ${what.padEnd(10)} ${names.length === 0 ? 'none' : printableLine(names.join(', '))}`
  return [
    line('hooks', hooks),
    line(
      'runbooks',
      runbooks.map(({ plan }) => plan.name),
    ),
    line('schedules', scheduleNames(runbooks)),
  ]
}

function scheduleNames(runbooks: readonly TriggeredRunbook[]): readonly string[] {
  return runbooks.flatMap(({ plan }) => schedulesOf(plan).map(({ id }) => id))
}

/** Warnings about steps that would leave the sandbox: runs that can reach one are refused. */
function refusedSteps(
  runbooks: readonly { readonly plan: Plan }[],
  actions: readonly Action[],
): readonly string[] {
  const refused = actions.filter(({ isRefused }) => isRefused)
  return runbooks.flatMap(({ plan }) => {
    const missingInputs = Object.keys(plan.inputs?.properties ?? {})
    const steps = outsideSteps({ plan, inputs: {}, missingInputs, actions: refused })
    if (steps.length === 0) return []
    const list = steps.map(({ path, action }) => `${path} (${action})`).join(', ')
    return [
      `${plan.name} can leave the sandbox: ${list}; runs that can reach it are refused without --allow-outside`,
    ]
  })
}

/** Warnings about questions that cannot be answered, one line each. */
function policyWarnings(plans: readonly Plan[], people: People = {}): readonly string[] {
  return plans.flatMap((plan) =>
    policyFindings(plan, people).map(({ step, message }) => `question ${step} of ${plan.name}: ${message}`),
  )
}
