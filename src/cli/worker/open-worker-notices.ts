import { createMask, type Mask } from '../../core/mask/mask.ts'
import type { NoticePort } from '../../engine/temporal/worker/notice-activities.ts'
import { notifyTargets, readNotifyAddress } from '../configuration/notify-targets.ts'
import type { CommandContext } from '../context.ts'
import type { ServiceChoice } from '../open-service.ts'
import { tellUnreachable } from '../run/open-notices.ts'
import { staysInside } from '../stays-inside.ts'
import type { WorkerPlace } from './start-configured-worker.ts'

/** Whom a worker tells of the runs of its queue. */
export interface WorkerNotices extends NoticePort {
  close(): Promise<void>
}

/** Opens the way to those whom `notify` names; undefined where it names nobody. Who cannot be told is said at once. */
export async function openWorkerNotices(
  context: CommandContext,
  { configuration, settings }: Pick<WorkerPlace, 'configuration' | 'settings'>,
  service: ServiceChoice,
  mask: Mask,
): Promise<WorkerNotices | undefined> {
  const { io } = context
  const targets = notifyTargets(configuration, io)
  if (targets.length === 0) return undefined
  await tellUnreachable(context, configuration, service)
  if (staysInside(service)) return undefined
  const { composeNotices, createSender, retryPauseMs } = await import('../../notices/index.ts')
  const known = new Set(targets.map(({ reference }) => reference))
  const sender = createSender({
    async resolve(reference) {
      // Whoever can write to the queue must not be able to choose what is read here, and where it is sent.
      if (!known.has(reference)) throw new Error('no "notify" in the opsbook.yaml of its worker names it')
      const address = await readNotifyAddress(reference, io)
      mask.hide(address)
      return address
    },
  })
  const { address, namespace } = settings
  const place = {
    facts: { server: address, namespace },
    text: `in "${namespace}" at ${address}`,
    flags: '--engine temporal',
  }
  return {
    compose(notice, sensitive) {
      const own = createMask(sensitive)
      return composeNotices({
        targets,
        place,
        isSandbox: service.sandbox === true,
        mask: (text) => mask.text(own.text(text)),
      })(notice)
    },
    async send(draft, tries, signal) {
      const sent = await sender.send(draft, signal)
      if (sent.isDelivered) return sent
      return { isDelivered: false, reason: sent.reason, againInMs: retryPauseMs(sent, tries) }
    },
    close: () => sender.close(),
  }
}
