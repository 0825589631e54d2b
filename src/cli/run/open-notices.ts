import { hostname } from 'node:os'
import type { Mask } from '../../core/mask/mask.ts'
import type { ComposeNotice } from '../../engine/embedded/index.ts'
import type { Delivery } from '../../notices/index.ts'
import { dataDirFlag } from '../configuration/data-dir-flag.ts'
import type { Configuration } from '../configuration/index.ts'
import { notifyTargets, readNotifyAddress } from '../configuration/notify-targets.ts'
import { type CommandContext, tell } from '../context.ts'
import type { ServiceChoice } from '../open-service.ts'
import { staysInside } from '../stays-inside.ts'
import { printableLine } from '../terminal/printable.ts'
import type { RunViews } from './open-views.ts'

/** The messages of a run, and their way out. */
export interface RunNotices extends Delivery {
  readonly compose?: ComposeNotice
}

/** What the messages of a run are made and delivered with. */
export interface NoticesOptions {
  readonly configuration: Configuration
  readonly dataDir: string
  /** The flags that chose the connection. */
  readonly service: ServiceChoice
}

/** Says before a run which targets get no notifications, and why: nobody would notice until they are needed. */
export async function tellUnreachable(
  context: CommandContext,
  configuration: Configuration,
  service: ServiceChoice,
): Promise<void> {
  const targets = notifyTargets(configuration, context.io)
  if (staysInside(service)) {
    if (targets.length > 0) tell(context, withheldText)
    return
  }
  for (const reference of new Set(targets.map((target) => target.reference))) {
    const kinds = targets.filter((target) => target.reference === reference).flatMap(({ on }) => on)
    await readNotifyAddress(reference, context.io).catch((error: Error) => {
      const what = [...new Set(kinds)].join(', ')
      const text = `nobody is told of ${what} by way of ${reference}: ${error.message}`
      tell(context, `${context.errorPaint.yellow('warning:')} ${printableLine(text)}`)
    })
  }
}

const withheldText = 'notifications are not sent from a sandbox; --allow-outside sends them, marked [sandbox]'

/** Opens the way to those whom `notify` names. Where it names nobody, nothing is done. */
export async function openNotices(
  { io }: CommandContext,
  { configuration, dataDir, service }: NoticesOptions,
  { secretMask, hide }: { readonly secretMask: Pick<Mask, 'text'> } & Pick<RunViews, 'hide'>,
): Promise<RunNotices> {
  const targets = notifyTargets(configuration, io)
  if (targets.length === 0 || staysInside(service)) return { end: async () => {} }
  const { composeNotices, startDelivery } = await import('../../notices/index.ts')
  const delivery = startDelivery({
    dataDir,
    references: targets.map(({ reference }) => reference),
    async resolve(reference) {
      const address = await readNotifyAddress(reference, io)
      hide(address)
      return address
    },
  })
  // Always by its whole path: nobody knows where the reader stands, or what is set there.
  const host = hostname()
  const place = {
    facts: { host, data_dir: dataDir },
    text: `on ${host}, in ${dataDir}`,
    flags: dataDirFlag({ dataDir }),
  }
  const isSandbox = service.sandbox === true
  const compose = composeNotices({ targets, place, isSandbox, mask: secretMask.text })
  return { ...delivery, compose }
}
