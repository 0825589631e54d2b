import { loadRunbook } from '../../load/index.ts'
import type { Configuration } from '../configuration/index.ts'
import type { Io } from '../io.ts'
import { loadDescriptions } from '../load-actions.ts'
import { listOwnRunbooks } from '../runbook-files/list-runbooks.ts'
import { readBeside } from '../runbook-files/read-beside.ts'
import { readRunbookText } from '../runbook-files/read-runbook-text.ts'
import { missingHooks } from '../serve/missing-hooks.ts'
import { type Check, failedCheck } from './check.ts'

/** Whether each hook that a trigger of the runbooks here waits for is there. Of runbooks that are not valid `validate` tells. */
export async function checkTriggers({ document }: Configuration, io: Io): Promise<readonly Check[]> {
  const name = 'triggers'
  try {
    const actions = await loadDescriptions(io)
    const files = (await listOwnRunbooks(io)).map(({ file }) => file)
    const plans = await Promise.all(
      files.map(async (file) => {
        const read = await readRunbookText(file)
        if ('problem' in read) return []
        const { plan } = loadRunbook(read.text, actions, { file, readRunbook: readBeside(file) })
        return plan ? [{ plan }] : []
      }),
    )
    const missing = missingHooks(plans.flat(), Object.keys(document.hooks ?? {}))
    return missing.map((message) => ({ name, status: 'warn', message }))
  } catch (error) {
    return [failedCheck(name, error)]
  }
}
