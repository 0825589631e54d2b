import { describeMutatedRunbooks } from './describe-mutated-runbooks.ts'

describeMutatedRunbooks((index) => index % 60 !== 0)
