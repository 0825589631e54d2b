/** A workflow under the name of ours, whose history no version of ours could have made. */
import { sleep } from '@temporalio/workflow'

export async function opsbookRun(): Promise<void> {
  await sleep('1 minute')
}
