// Makes the calls of runs.
import { start } from './start.mjs'

await start('calls')
