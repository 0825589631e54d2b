/** `opsbook serve`: takes events over HTTP and starts runs from them, until a signal ends it. */

import { createWorkCounts } from '../../triggers/serve/count-work.ts'
import { type AppOptions, createApp, createHealthApp } from '../../triggers/serve/create-app.ts'
import { createMetrics } from '../../triggers/serve/metrics.ts'
import { openRefusedDeliveries } from '../../triggers/serve/refused-deliveries.ts'
import { createDeliveryWatch } from '../../triggers/serve/watch-deliveries.ts'
import type { ServeFlags } from '../commands/serve.ts'
import { chooseDataDir, readRunConfiguration } from '../configuration/index.ts'
import { answer, answerJson, type CommandContext } from '../context.ts'
import { chooseEngine, type EngineKind } from '../engine/choose-engine.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { loadActions } from '../load-actions.ts'
import { listenUrl, readListen } from '../read-listen.ts'
import { actionsFor } from '../stays-inside.ts'
import { type Listener, openListeners, readHealthAddress } from './listeners.ts'
import { loadRunbooks } from './load-runbooks.ts'
import { missingHooks } from './missing-hooks.ts'
import { type OpenEngineOptions, openEmbedded } from './open-embedded.ts'
import { readGrace } from './read-grace.ts'
import { readHooks } from './read-hooks.ts'
import { refuseOpenHooks } from './refuse-open-hooks.ts'
import { refusedSteps } from './refused-steps.ts'
import type { ServeEngine } from './serve-engine.ts'
import { createServeLog } from './serve-log.ts'
import { scheduleNames, servedLines } from './served-lines.ts'

/** Serves until SIGINT or SIGTERM. A line on stdout says when it is ready. */
export async function serve(
  context: CommandContext,
  named: readonly string[],
  flags: ServeFlags,
): Promise<ExitCode> {
  const address = readListen(flags.listen, '127.0.0.1:8687')
  const healthAddress = readHealthAddress(flags, address)
  const graceMs = readGrace(flags.grace)
  const configuration = await readRunConfiguration(context.io)
  const kind = chooseEngine(flags.engine, configuration, context.io)
  const log = await createServeLog(context)
  const { hooks, warnings } = await readHooks(configuration, context.io)
  for (const hook of hooks) for (const secret of hook.auth?.secrets ?? []) log.hide(secret)
  for (const warning of warnings) log.warn(warning)
  refuseOpenHooks(hooks, address)
  const actions = actionsFor(flags, await loadActions(context.io))
  const runbooks = await loadRunbooks(named, actions, context)
  const names = hooks.map(({ name }) => name)
  for (const warning of [...missingHooks(runbooks, names), ...refusedSteps(runbooks, actions)])
    log.warn(warning)
  const metrics = createMetrics()
  const counts = createWorkCounts(metrics)
  const dataDir = chooseDataDir(flags.dataDir, configuration, context.io)
  const isEveryRunbook = named.length === 0
  const opening = {
    flags,
    graceMs,
    configuration,
    dataDir,
    runbooks,
    isEveryRunbook,
    actions,
    log,
    metrics,
    counts,
  }
  const stopped = new Promise<void>((stop) => {
    // Listens on until the end: a second press of Ctrl-C does not spoil a clean exit.
    context.io.onStopSignal(() => stop())
  })
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
    offer: engine.book.offer,
    isStopping: () => isStopping,
    onAnswer(one) {
      counts.answered(one)
      deliveries.answered(one)
      refused.take(one)
      log.answered(one)
    },
    onFailure: log.failed,
    whyNotReady: async () => (isStopping ? 'serve stops' : (deliveries.problem() ?? engine.whyNotReady())),
    metrics: metrics.text,
  }
  const listeners: Listener[] = [
    { flag: '--listen', address, app: createApp(options) },
    ...(healthAddress
      ? [{ flag: '--listen-health', address: healthAddress, app: createHealthApp(options) }]
      : []),
  ]
  const begun: (typeof engine.background)[number][] = []
  try {
    // First of all: one whose address is taken starts no run.
    const [bound = address, healthBound] = await openListeners(listeners)
    for (const work of engine.background) {
      await work.start()
      begun.push(work)
    }
    const url = listenUrl(bound)
    const healthUrl = healthBound && listenUrl(healthBound)
    if (flags.output === 'json')
      answerJson(context, {
        url,
        ...(healthUrl === undefined ? {} : { health_url: healthUrl }),
        hooks: names,
        runbooks: runbooks.map(({ plan }) => plan.name),
        schedules: scheduleNames(runbooks),
      })
    else
      answer(context, [
        healthUrl === undefined ? `serve ready: ${url}` : `serve ready: ${url}, health at ${healthUrl}`,
        ...servedLines(names, runbooks),
      ])
    await stopped
    log.info('serve stops: no more events are taken, runs stop where they can go on')
  } finally {
    isStopping = true
    for (const work of begun.toReversed()) await work.stop()
    for (const { app } of listeners) await app.close()
    await refused.close()
    await engine.close()
    log.info('serve stopped')
  }
  return exitCodes.succeeded
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
