import { java } from "./ecosystems/java.js";
import { describeEcosystem } from "./matrix.js";

describeEcosystem(java);
