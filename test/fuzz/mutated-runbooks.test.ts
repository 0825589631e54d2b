import { describeMutatedRunbooks } from './describe-mutated-runbooks.ts'

// Every thirtieth node; the long test changes the others.
describeMutatedRunbooks((index) => index % 30 === 0)
