import { describeMutatedRunbooks } from './describe-mutated-runbooks.ts'

// Every hundred and fiftieth node; the long test changes the others.
describeMutatedRunbooks((index) => index % 150 === 0)
