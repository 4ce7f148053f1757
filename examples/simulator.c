/* A heated rod, as a program that zooadmm can minimize.
 *
 * Heaters along a rod are run at powers x_1, ..., x_m; after a while its temperature should be as
 * wished. Reads lines {"id": 7, "x": [0.5, 1.0], "observation": null} and answers each of them with
 * {"id": 7, "value": ...}, the mean square of what is missing or too much.
 *
 *     cc -O2 -o simulator simulator.c
 *     zooadmm minimize --command ./simulator --dim 20 --domain box:0:1 --max-evaluations 2000
 */

#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 60
#define STEPS 400

static double mismatch(const double *power, int heaters)
{
    double now[CELLS + 2] = {0}, next[CELLS + 2] = {0}, total = 0;
    for (int step = 0; step < STEPS; step++) {
        for (int i = 1; i <= CELLS; i++) {
            double heat = heaters > 0 ? power[(i - 1) * heaters / CELLS] : 0;
            next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]) + 0.02 * heat;
        }
        memcpy(now, next, sizeof now);
    }
    for (int i = 1; i <= CELLS; i++) {
        double wish = i > 15 && i <= 35 ? 1.0 : 0.25;
        total += (now[i] - wish) * (now[i] - wish);
    }
    return total / CELLS;
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        char *id = strstr(line, "\"id\":"), *at = strstr(line, "\"x\":");
        at = at == NULL ? NULL : strchr(at, '[');
        if (id == NULL || at == NULL) {
            fprintf(stderr, "not understood: %s", line);
            return 2;
        }
        double *x = malloc((strlen(line) + 1) * sizeof *x);
        int m = 0;
        for (at++; x != NULL; m++) {
            char *end;
            at += strspn(at, " ,");
            x[m] = strtod(at, &end);
            if (end == at)
                break;
            at = end;
        }
        printf("{\"id\": %ld, \"value\": %.17g}\n", strtol(id + 5, NULL, 10), mismatch(x, m));
        fflush(stdout);
        free(x);
    }
    free(line);
    return 0;
}
