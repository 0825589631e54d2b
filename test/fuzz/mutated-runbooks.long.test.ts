import { describeMutatedRunbooks } from './describe-mutated-runbooks.ts'

describeMutatedRunbooks((index) => index % 150 !== 0)
