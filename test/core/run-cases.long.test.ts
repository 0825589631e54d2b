import { runCaseFiles } from '../conformance/run-case-files.ts'
import { otherThanSmoke } from '../support/smoke.ts'
import { describeRemembered, describeStopped } from './describe-stopped.ts'

for (const { file, cases, isLong } of runCaseFiles) {
  if (isLong) describeStopped(file, cases)
  describeRemembered(file, otherThanSmoke(cases))
}
