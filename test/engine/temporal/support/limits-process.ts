/**
 * Processes, as far as limits are concerned, in one that can be paused and killed: its server, its queue and how many
 * wait for which target are its arguments. Each says when it has its turn, and keeps it.
 */
import { openTemporalLimits } from '../../../../src/engine/temporal/index.ts'

const [address = '', taskQueue = '', count = '', target = ''] = process.argv.slice(2)
const settings = { address, namespace: 'default', taskQueue }
for (let opened = 0; opened < Number(count); opened++) {
  const { targetLocks } = await openTemporalLimits(settings)
  void targetLocks.acquire(target).then(() => process.send?.('has its turn'))
}
process.send?.('waits')
