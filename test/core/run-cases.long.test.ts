import { readRunCases } from '../conformance/read-run-cases.ts'
import { otherThanEveryFourth } from '../support/every-fourth.ts'
import { describeRemembered, describeStopped } from './describe-stopped.ts'

for (const one of readRunCases()) {
  if (one.isLong) describeStopped(one)
  describeRemembered(one, one.isLong ? undefined : otherThanEveryFourth)
}
