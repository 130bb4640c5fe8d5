import { c } from "./ecosystems/c.js";
import { describeEcosystem } from "./matrix.js";

describeEcosystem(c);
