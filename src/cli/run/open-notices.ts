import { hostname } from 'node:os'
import type { Mask } from '../../core/mask/index.ts'
import type { ComposeNotice } from '../../engine/notices/index.ts'
import type { Delivery, DeliveryOptions } from '../../notifications/index.ts'
import {
  type Configuration,
  consoleAddress,
  notifyTargets,
  readNotifyAddress,
} from '../../project/configuration/index.ts'
import { type ServiceChoice, staysInSandbox } from '../../project/connections/index.ts'
import { dataDirFlag, printableLine } from '../../project/text/index.ts'
import { type CommandContext, tell } from '../shared/context.ts'
import { handleStopSignals } from '../shared/stop-signals.ts'
import type { RunViews } from './open-views.ts'

/** The notifications of a run, and their delivery. */
export interface RunNotices extends Delivery {
  readonly compose?: ComposeNotice
}

/** What notifications of a run are composed and delivered with. */
export interface NoticesOptions {
  readonly configuration: Configuration
  readonly dataDir: string
  /** The flags that chose the connection. */
  readonly service: ServiceChoice
}

/** Warns before a run which targets cannot be notified, and why. */
export async function warnOfUnreachableTargets(
  context: CommandContext,
  configuration: Configuration,
  service: ServiceChoice,
): Promise<void> {
  const targets = notifyTargets(configuration, context.io)
  if (staysInSandbox(service)) {
    if (targets.length > 0) tell(context, withheldText)
    return
  }
  for (const reference of new Set(targets.map((target) => target.reference))) {
    const kinds = targets.filter((target) => target.reference === reference).flatMap(({ on }) => on)
    await readNotifyAddress(reference, context.io).catch((error: Error) => {
      const what = [...new Set(kinds)].join(', ')
      const text = `no notifications of ${what} can be sent to ${reference}: ${error.message}`
      tell(context, `${context.errorPaint.yellow('warning:')} ${printableLine(text)}`)
    })
  }
}

const withheldText = 'notifications are not sent from a sandbox; --allow-outside sends them, marked [sandbox]'

/** Starts the delivery to the targets of `notify`, if there are any. */
export async function openNotices(
  { io }: CommandContext,
  { configuration, dataDir, service }: NoticesOptions,
  {
    secretMask,
    hide,
    onTried,
  }: { readonly secretMask: Pick<Mask, 'text'> } & Pick<RunViews, 'hide'> & Pick<DeliveryOptions, 'onTried'>,
): Promise<RunNotices> {
  const targets = notifyTargets(configuration, io)
  if (targets.length === 0 || staysInSandbox(service)) return { end: async () => {} }
  const { composeNotices, startDelivery } = await import('../../notifications/index.ts')
  const delivery = startDelivery({
    dataDir,
    ...(onTried === undefined ? {} : { onTried }),
    references: targets.map(({ reference }) => reference),
    async resolve(reference) {
      const address = await readNotifyAddress(reference, io)
      hide(address)
      return address
    },
  })
  // Always the absolute path: the reader may be in another folder or have other settings.
  const host = hostname()
  const location = {
    facts: { host, data_dir: dataDir },
    text: `on ${host}, in ${dataDir}`,
    flags: dataDirFlag({ dataDir }),
    ...consoleAddress(configuration.document),
  }
  const isSandbox = service.sandbox === true
  const compose = composeNotices({ targets, place: location, isSandbox, mask: secretMask.text })
  return { ...delivery, compose }
}

/** How long a run that a user stopped waits for notifications that are still being delivered. */
const stoppedGraceMs = 3000
/** After this time, the command says what it waits for. */
const sayAfterMs = 1000

/**
 * Ends the delivery with the command: a try that has begun has its whole time, since the next command on the data
 * directory may be days away. A stop signal leaves the rest to that one.
 */
export async function endNotices(
  context: CommandContext,
  notices: Delivery,
  { isStopped }: { readonly isStopped: boolean },
): Promise<void> {
  const left = new AbortController()
  const forgetSignals = handleStopSignals(context.io, { onStop: () => left.abort(), onLeave() {} })
  const said = setTimeout(() => tell(context, waitingText), sayAfterMs)
  try {
    await notices.end(isStopped ? stoppedGraceMs : undefined, left.signal)
  } finally {
    clearTimeout(said)
    forgetSignals()
  }
}

const waitingText =
  'waits up to 10 seconds for notifications to arrive; Ctrl-C leaves them to the next command that runs or serves here'
