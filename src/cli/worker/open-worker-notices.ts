import { createMask, type Mask } from '../../core/mask/index.ts'
import type { TemporalSettings } from '../../engine/temporal/client/index.ts'
import type { NoticePort } from '../../engine/temporal/worker/index.ts'
import {
  type Configuration,
  consoleAddress,
  notifyTargets,
  readNotifyAddress,
} from '../../project/configuration/index.ts'
import { type ServiceChoice, staysInSandbox } from '../../project/connections/index.ts'
import { warnOfUnreachableTargets } from '../run/open-notices.ts'
import type { CommandContext } from '../shared/context.ts'

/** The notifications of a worker. */
export interface WorkerNotices extends NoticePort {
  close(): Promise<void>
}

/** Opens the delivery to the targets of `notify`; undefined without targets. Warns of unreachable targets. */
export async function openWorkerNotices(
  context: CommandContext,
  { configuration, settings }: { readonly configuration: Configuration; readonly settings: TemporalSettings },
  service: ServiceChoice,
  mask: Mask,
): Promise<WorkerNotices | undefined> {
  const { io } = context
  const targets = notifyTargets(configuration, io)
  if (targets.length === 0) return undefined
  await warnOfUnreachableTargets(context, configuration, service)
  if (staysInSandbox(service)) return undefined
  const { composeNotices, createNoticeSender, retryPauseMs } = await import('../../notifications/index.ts')
  const known = new Set(targets.map(({ reference }) => reference))
  const sender = createNoticeSender({
    async resolve(reference) {
      // A process that can write to the queue must not choose which secret is read here, or where it is sent.
      if (!known.has(reference)) throw new Error('no "notify" in the opsbook.yaml of its worker names it')
      const address = await readNotifyAddress(reference, io)
      mask.hide(address)
      return address
    },
  })
  const { address, namespace } = settings
  const location = {
    facts: { server: address, namespace },
    text: `in "${namespace}" at ${address}`,
    flags: '--engine temporal',
    ...consoleAddress(configuration.document),
  }
  return {
    compose(notice, sensitive) {
      const own = createMask(sensitive)
      return composeNotices({
        targets,
        place: location,
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
