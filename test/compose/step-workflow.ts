import { proxyActivities, sleep } from '@temporalio/workflow'

const { step } = proxyActivities<{ step(): Promise<void> }>({ startToCloseTimeout: '10 seconds' })

/** Steps one after the other, then naps. Answers with what one of each took, in milliseconds. */
export async function takeSteps(count: number, naps: number): Promise<readonly [number, number]> {
  const began = Date.now()
  for (let index = 0; index < count; index += 1) await step()
  const stepped = Date.now()
  for (let index = 0; index < naps; index += 1) await sleep(20)
  return [(stepped - began) / count, (Date.now() - stepped) / naps]
}
