import { readRunCases } from '../conformance/read-run-cases.ts'
import { describeStopped } from './describe-stopped.ts'

for (const one of readRunCases()) if (one.isLong) describeStopped(one)
