import type { Check } from '../../../documents/index.ts'
import { isServed, openNoticeStore } from '../../../engine/embedded/index.ts'
import type { UndeliveredNotices } from '../../../engine/notices/index.ts'
import { type Configuration, notifyTargets, readNotifyAddress } from '../../../project/configuration/index.ts'
import { readHooks } from '../../../project/hooks/index.ts'
import type { Surroundings } from '../../../project/index.ts'
import { countText } from '../../../view/text/index.ts'
import { check, failedCheck, passed } from './check.ts'

/** Checks the secrets of the hooks. */
export async function checkHooks(configuration: Configuration, io: Surroundings): Promise<readonly Check[]> {
  const name = 'hooks'
  if (Object.keys(configuration.document.hooks ?? {}).length === 0) return []
  try {
    const { hooks, warnings } = await readHooks(configuration, io)
    const open = hooks.filter(({ auth }) => auth === undefined).map((hook) => hook.name)
    const reach =
      open.length === 0 ? '' : `; without auth, so reachable from this machine only: ${open.join(', ')}`
    return [passed(name, `${countText(hooks.length, 'hook')}${reach}`, warnings)]
  } catch (error) {
    return [failedCheck(name, error)]
  }
}

/** Whether a `serve` process uses the data directory, where one does or hooks need one. */
export function checkServe({ document }: Configuration, dataDir: string): readonly Check[] {
  const name = 'serve'
  if (isServed(dataDir)) return [passed(name, 'running')]
  if (Object.keys(document.hooks ?? {}).length === 0) return []
  return [check(name, 'warn', 'no process receives the events of the hooks', '"opsbook serve" receives them')]
}

const notices = 'notices'

/**
 * Checks the addresses of `notify`, and lists notifications of the data directory that were not delivered. No address is
 * shown. `dataDir`: left out where its database cannot be read.
 */
export async function checkNotices(
  dataDir: string | undefined,
  configuration: Configuration,
  io: Surroundings,
): Promise<readonly Check[]> {
  const references = [...new Set(notifyTargets(configuration, io).map(({ reference }) => reference))]
  const checks: Check[] = []
  for (const reference of references)
    await readNotifyAddress(reference, io).catch((error: Error) =>
      checks.push(check(notices, 'fail', `${reference}: ${error.message}`)),
    )
  const store = dataDir === undefined ? undefined : openNoticeStore(dataDir)
  for (const row of store?.undelivered() ?? []) {
    const hint = references.includes(row.target)
      ? 'the next run with this data directory retries those that are waiting'
      : 'no "notify" entry of this opsbook.yaml names this target'
    checks.push(undelivered(row.target, row, hint))
  }
  store?.close()
  if (references.length === 0 || checks.length > 0) return checks
  const ok = dataDir === undefined ? '' : ', everything was delivered'
  return [passed(notices, `${countText(references.length, 'target')}${ok}`)]
}

/** How many notifications to a target were not delivered, since when and why. */
export function undelivered(
  target: string,
  { waiting, givenUp, since, lastError }: Omit<UndeliveredNotices, 'target'>,
  hint: string,
): Check {
  const parts = [
    ...(waiting > 0 ? [`${waiting} waiting to be delivered`] : []),
    ...(givenUp > 0 ? [`${givenUp} not delivered after all retries`] : []),
  ]
  const why = lastError === undefined ? '' : `: ${lastError}`
  return check(notices, 'warn', `${target}: ${parts.join(', ')}, since ${since}${why}`, hint)
}
