/** A workflow under the types of our runs, whose history no version of ours could have made. */
import { sleep } from '@temporalio/workflow'

// biome-ignore lint/style/noDefaultExport: the workflow of all types that have no function of their name
export default async function other(): Promise<void> {
  await sleep('1 minute')
}
