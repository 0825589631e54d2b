// A process that starts a program and says its number; then it does nothing until it is killed.
import { spawnGuarded } from '../../../../src/cli/dev/server/spawn-guarded.ts'

const { processId } = await spawnGuarded('sleep', ['600'])
process.stdout.write(`${processId}\n`)
setInterval(() => {}, 60_000)
